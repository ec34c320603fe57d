import {
  attachDescription,
  type CallOptions,
  type ChatMessage,
  describeProvider,
  type Generation,
  LlmError,
  mergeGenerations,
  mergeOptions,
  type Provider,
  type ToolDefinition,
  type ToolStreamReader,
  wholeText,
} from '@modelport/core'
import { checkMessages, checkProvider } from '../../base/check-request.js'
import { TextReader } from '../../middleware/text-reader.js'
import { type TurnGenerator, TurnReader } from '../../middleware/turn-reader.js'
import { readTurn } from '../../middleware/turns.js'

/** One model of several that reply in turn. */
export interface Panelist {
  /** The model that replies. */
  readonly provider: Provider
  /** Instructions for this model, in addition to those for all. */
  readonly prompt: string
}

/**
 * The message to a later model after the replies of earlier ones, since few servers continue from a
 * reply.
 */
const nextRequest = 'Now do your part, with the answers above at hand.'

/**
 * Makes one provider of several models that reply to the same conversation one after the other.
 * Each has its own prompt, and sees the conversation and the replies before its own. Their texts
 * are joined by line breaks; tool calls, usage and details are put together; the finish reason is
 * the last model's.
 * @throws {LlmError} `config` — the list is empty, or an entry has no provider.
 */
export function combine(panelists: readonly Panelist[]): Provider {
  const list: unknown = panelists
  if (!Array.isArray(list) || !list.length)
    throw new LlmError('config', 'combine: give a list of at least one panelist')
  for (const [index, panelist] of panelists.entries())
    checkProvider((panelist as Panelist | null)?.provider, `panelists[${index}].provider`)
  const [first] = panelists as readonly [Panelist, ...Panelist[]]
  const generate = async (
    messages: readonly ChatMessage[],
    options: readonly CallOptions[],
  ): Promise<Generation> => {
    checkMessages(messages)
    const given = mergeOptions(...options)
    const replies: Generation[] = []
    for (const { provider, prompt } of panelists)
      replies.push(
        await provider.generate(
          toConversation(messages, replies),
          given,
          withPrompt(given, prompt),
        ),
      )
    return mergeGenerations(...replies)
  }
  const stream = async (
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    options: readonly CallOptions[],
  ): Promise<ToolStreamReader> => {
    checkMessages(messages)
    const given = mergeOptions(...options)
    const open = openPanel(panelists, given)
    // Sends the first request here, so that its failure rejects the call and not a read.
    const opened = await open(messages, tools, given.signal ?? undefined)
    let pending: TurnGenerator | undefined = opened.turn
    return new TurnReader({
      messages,
      tools,
      signal: given.signal ?? undefined,
      run: async function* (history, current, signal): TurnGenerator {
        const turn = pending ?? (await open(history, current, signal)).turn
        pending = undefined
        return yield* turn
      },
      onClose: () => opened.close(),
    })
  }
  const ask = (prompt: string): readonly ChatMessage[] => [{ role: 'user', content: prompt }]
  const streamText = async (
    messages: readonly ChatMessage[],
    options: readonly CallOptions[],
  ): Promise<TextReader> => {
    const { tools, ...rest } = mergeOptions(...options)
    return new TextReader(await stream(messages, tools ?? [], [rest]))
  }
  const provider: Provider = {
    name: 'combine',
    model: panelists.map((one) => one.provider.model).join('+'),
    cheapestModel: first.provider.cheapestModel,
    complete: async (prompt, ...options) =>
      wholeText(await generate(ask(prompt), options), 'combine'),
    completeWithHistory: async (messages, ...options) =>
      wholeText(await generate(messages, options), 'combine'),
    generate: (messages, ...options) => generate(messages, options),
    stream: (prompt, ...options) => streamText(ask(prompt), options),
    streamWithHistory: (messages, ...options) => streamText(messages, options),
    streamWithTools: (messages, tools, ...options) => stream(messages, tools, options),
    estimateTokens: (text) =>
      Math.max(...panelists.map((one) => one.provider.estimateTokens(text))),
  }
  const { api: _, ...described } = describeProvider(first.provider)
  return attachDescription(provider, described)
}

type OpenTurn = (
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  signal: AbortSignal | undefined,
) => Promise<{ readonly turn: TurnGenerator; close(): Promise<void> }>

/**
 * Opens one turn of all panelists: the first is asked at once, the others when the one before has
 * replied.
 */
function openPanel(panelists: readonly Panelist[], given: CallOptions): OpenTurn {
  return async (messages, tools, signal) => {
    const open = (
      { provider, prompt }: Panelist,
      replies: readonly Generation[],
    ): Promise<ToolStreamReader> =>
      provider.streamWithTools(
        toConversation(messages, replies),
        tools,
        given,
        withPrompt(given, prompt),
        signal ? { signal } : {},
      )
    const [first, ...others] = panelists as readonly [Panelist, ...Panelist[]]
    const reader = await open(first, [])
    const turn = (async function* (): TurnGenerator {
      const replies: Generation[] = [yield* readTurn(reader)]
      for (const panelist of others) {
        const separate = replies.some(({ text }) => text !== '')
        replies.push(yield* separated(readTurn(await open(panelist, replies)), separate))
      }
      return mergeGenerations(...replies)
    })()
    return { turn, close: () => reader.close() }
  }
}

/** Puts a line break before the first text of a turn. */
async function* separated(turn: TurnGenerator, isNeeded: boolean): TurnGenerator {
  let isMissing = isNeeded
  for (;;) {
    const step = await turn.next()
    if (step.done) return step.value
    if (isMissing && step.value.type === 'text-delta') {
      isMissing = false
      yield { type: 'text-delta', text: '\n' }
    }
    yield step.value
  }
}

const withPrompt = ({ system = '' }: CallOptions, prompt: string): CallOptions => {
  const text = [system, prompt].filter(Boolean).join('\n\n')
  return text ? { system: text } : {}
}

function toConversation(
  messages: readonly ChatMessage[],
  replies: readonly Generation[],
): readonly ChatMessage[] {
  const said = replies
    .filter(({ text }) => text !== '')
    .map(({ text }): ChatMessage => ({ role: 'assistant', content: text }))
  return said.length ? [...messages, ...said, { role: 'user', content: nextRequest }] : messages
}
