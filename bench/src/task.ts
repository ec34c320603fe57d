import type { JsonObject } from '@modelport/core'

/** One message in the form that every library's own is made from. */
export interface TaskMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** One tool in the form that every library's own is made from. */
export interface TaskTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/**
 * What is asked in every request of a measurement. A client makes its own form of it once, before
 * it is measured.
 */
export interface Task {
  readonly messages: readonly TaskMessage[]
  readonly tools: readonly TaskTool[]
  /** True where the reply is a tool call, whose arguments are read to their end. */
  readonly call: boolean
}

const sentence = 'The “quick” brown fox\njumps over the lazy dog; naïve readers say: "Größe". '

const turn = (index: number, length: number): TaskMessage => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `${index}: ${sentence.repeat(Math.ceil(length / sentence.length))}`.slice(0, length),
})

const tool = (name: string): TaskTool => ({
  name,
  description: `${name}: reads or writes one part of the workspace and says what it found there. Use it only for what the user asked for.`,
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Path of the file, from the root of the workspace' },
      text: { type: 'string', description: 'What to write; unset to read' },
      mode: {
        type: 'string',
        enum: ['read', 'write', 'append'],
        description: 'What to do with the file',
      },
      lines: {
        type: 'array',
        items: { type: 'integer' },
        description: 'First and last line, from 1 on',
      },
    },
    required: ['text'],
  },
})

/** The tasks by name. The large one: 501 messages of together 1.05 MB, and 50 tools. */
export const tasks = {
  plain: { messages: [{ role: 'user', content: 'bench' }], tools: [], call: false },
  call: { messages: [{ role: 'user', content: 'bench' }], tools: [tool('write')], call: true },
  large: {
    messages: Array.from({ length: 501 }, (_, index) => turn(index, 2096)),
    tools: Array.from({ length: 50 }, (_, index) => tool(`tool_${index}`)),
    call: false,
  },
} satisfies Readonly<Record<string, Task>>

/** Name of a task. */
export type TaskName = keyof typeof tasks
