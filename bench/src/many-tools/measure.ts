import { openaiChat } from '@modelport/conformance'
import { startWireServer, type WireServer } from '@modelport/conformance/wire-server'
import { estimateTokens } from '@modelport/core'
import { replyTo } from './model.ts'
import { answerOf, type Task } from './tasks.ts'
import type { Way } from './ways.ts'

/** What a task sent. */
export interface Sent {
  readonly requests: number
  /** Estimated tokens of all requests: tools, system text, messages. */
  readonly tokens: number
  /** Tokens that do not belong to a beginning which the request before had too. */
  readonly newTokens: number
  /** Characters of all requests but the first. */
  readonly length: number
  /** Characters of them that belong to a beginning which the request before had too. */
  readonly kept: number
}

/** The model behind Chat Completions on this machine. */
export const serveTasks = (): Promise<WireServer> =>
  startWireServer({
    formats: [openaiChat],
    reply: (request) => {
      const turn = replyTo(openaiChat.read(request))
      return {
        ...turn,
        finish: turn.toolCalls ? 'tool-calls' : 'stop',
        usage: { inputTokens: 1, outputTokens: 1 },
      }
    },
  })

/**
 * Lets a way do a task, and counts what it sent.
 * @throws Error if what the model said at the end is not what it was asked for.
 */
export async function measureTask(way: Way, task: Task): Promise<Sent> {
  const server = await serveTasks()
  try {
    const text = await way(`${server.url}/v1`, task)
    if (text !== answerOf(task)) throw new Error(`${task.name} ended with: ${text.slice(0, 500)}`)
    return count(server.requests.map(({ body }) => promptOf(body)))
  } finally {
    await server.close()
  }
}

/**
 * A request in the order in which vendors build and cache a prompt: tools, then the system text and
 * the messages.
 */
function promptOf(body: unknown): string {
  const { tools = [], messages } = body as {
    readonly tools?: readonly object[]
    readonly messages: readonly object[]
  }
  return [...tools, ...messages].map((one) => `${JSON.stringify(one)}\n`).join('')
}

function count(prompts: readonly string[]): Sent {
  let tokens = 0
  let newTokens = 0
  let length = 0
  let kept = 0
  for (const [index, prompt] of prompts.entries()) {
    const before = prompts[index - 1]
    const same = before === undefined ? 0 : commonLength(before, prompt)
    const all = estimateTokens(prompt)
    tokens += all
    newTokens += all - estimateTokens(prompt.slice(0, same))
    if (before === undefined) continue
    length += prompt.length
    kept += same
  }
  return { requests: prompts.length, tokens, newTokens, length, kept }
}

function commonLength(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}
