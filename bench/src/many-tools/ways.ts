import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { defineTool, infer } from '@modelport/runtime'
import {
  isStepCount,
  jsonSchema,
  type ModelMessage,
  pruneMessages,
  streamText,
  tool,
  toolSearch,
} from 'ai'
import { catalog } from './catalog.ts'
import { promptOf, resultOf, type Task } from './tasks.ts'

/** Lets a library do a task against a server, and returns its last text. */
export type Way = (baseUrl: string, task: Task) => Promise<string>

const system =
  'You work in the back office. Use the tools to look up what you are asked for, and report it.'
const apiKey = 'key-of-the-bench'
/** Characters of a long result that are sent. */
const maxResultLength = 2000
/** The threshold of AI SDK's documentation is 100,000, which no task reaches. */
const pruneAbove = 10_000

// It says what the table says.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** What is measured, by its name; the first is what the others are compared with. */
export const ways: Readonly<Record<string, Way>> = {
  'infer, plain': inferring(false),
  'infer, `deferred`': inferring(true),
  'infer, `maxResultLength`': inferring(false, maxResultLength),
  'infer, both': inferring(true, maxResultLength),
  'AI SDK, plain': streaming(false, false),
  'AI SDK, `toolSearch`': streaming(true, false),
  'AI SDK, `toolSearch` and `pruneMessages`': streaming(true, true),
}

function inferring(deferred: boolean, most = Infinity): Way {
  const tools = catalog.map((one) =>
    defineTool({
      ...one,
      parameters: one.parameters as never,
      deferred,
      execute: (args) => resultOf(one.name, args),
    }),
  )
  const limits = { maxSteps: 50, maxResultLength: most }
  return async (baseUrl, task) => {
    const provider = createOpenAICompatible({ model: task.name, apiKey, baseUrl })
    const result = await infer(provider, { system, query: promptOf(task), tools, limits })
    return result.status === 'final' ? result.text : JSON.stringify(result)
  }
}

function streaming(deferLoading: boolean, isPruned: boolean): Way {
  const tools = Object.fromEntries(
    catalog.map(({ name, description, parameters }) => [
      name,
      tool({
        description,
        deferLoading,
        inputSchema: jsonSchema(parameters as never),
        execute: (args: unknown) => resultOf(name, args),
      }),
    ]),
  )
  return async (baseURL, task) =>
    await streamText({
      model: createOpenAI({ apiKey, baseURL }).chat(task.name),
      instructions: system,
      prompt: promptOf(task),
      tools: deferLoading ? { search: toolSearch(), ...tools } : tools,
      stopWhen: isStepCount(50),
      maxRetries: 0,
      ...(isPruned && {
        prepareStep: ({ messages }: { messages: ModelMessage[] }) => pruned(messages),
      }),
    }).text
}

/** As "Context Management" of AI SDK's loop control has it, but for the threshold. */
const pruned = (messages: ModelMessage[]) =>
  JSON.stringify(messages).length / 4 > pruneAbove
    ? {
        messages: pruneMessages({
          messages,
          reasoning: 'all',
          toolCalls: 'before-last-3-messages',
        }),
      }
    : {}
