import { type ChatMessage, type ModelProfile, type Provider, textOf, type ToolDefinition } from '@modelport/core'
import { contentHash } from './content-hash.js'
import { messageTokens } from './message-tokens.js'
import { contextUse } from '../loop/metrics.js'
import { isUserRequest } from '../reply/user-request.js'

/** One piece of a prompt. */
export interface ContextBlock {
  /** Its place in the prompt, from 0. */
  readonly index: number
  /** What part of the prompt it is. */
  readonly kind: 'tool' | 'system' | 'user' | 'assistant' | 'tool-result'
  /** Where it comes from: `tools`, `system` (the option), `query` (what the user said last, when it is the query), or `history`. */
  readonly origin: 'tools' | 'system' | 'query' | 'history'
  /** Of the tool, or of who wrote the message: a model as `provider/model`. */
  readonly name?: string
  /** Estimated. */
  readonly tokens: number
  /** SHA-256 of what is sent of it, in hexadecimal; the order of keys in schemas and arguments counts, as it does for caches. */
  readonly hash: string
  /** True when this block and all before it are as in the previous manifest: what a server's cache may still hold. */
  readonly cached: boolean
}

/** What one call sends, block by block, in the order in which servers put it: tools, system, messages. It never changes the request. */
export interface ContextManifest {
  /** The run the call belongs to. */
  readonly runId: string
  /** The step of the run; the first is 1. */
  readonly step: number
  /** Name of the agent that runs, where it has one. */
  readonly agentName?: string
  /** Name of its provider. */
  readonly provider: string
  /** The model that is asked. */
  readonly model: string
  /** Estimated tokens of the instructions. */
  readonly systemTokens: number
  /** Estimated tokens of the tool definitions. */
  readonly toolPromptTokens: number
  /** Estimated tokens of the conversation before the query. */
  readonly historyTokens: number
  /** Estimated tokens of the query. */
  readonly userTokens: number
  /** The sum of the four above. */
  readonly totalEstimatedTokens: number
  /** Tokens of the blocks that are `cached`. */
  readonly cachedTokens: number
  /** Of the profile. */
  readonly contextWindow?: number
  /** Percent with three decimals. */
  readonly usedPercent?: number
  /** Every part of the prompt, in order. */
  readonly blocks: readonly ContextBlock[]
}

/** What {@link createManifest} is told. */
export interface ManifestRequest {
  /** The run the call belongs to. */
  readonly runId: string
  /** The step of the run; the first is 1. */
  readonly step: number
  /** Name of the agent that runs, where it has one. */
  readonly agentName?: string | undefined
  /** The provider that is asked. */
  readonly provider: Pick<Provider, 'name' | 'model'>
  /** The conversation as it will be sent. */
  readonly messages: readonly ChatMessage[]
  /** The `system` option. */
  readonly system?: string | undefined
  /** Definitions sent in the API's own form. */
  readonly tools?: readonly ToolDefinition[] | undefined
  /** The part of the system text that describes tools, where they are not sent in the API's own form. */
  readonly toolPrompt?: string | undefined
  /** The request of the run: what the user said last counts as `userTokens` when it equals this. */
  readonly query?: string | undefined
  /** What the application knows of the model; its window is needed for the share in use. */
  readonly profile?: ModelProfile | undefined
  /** Counts the tokens of a text. */
  readonly estimate: (text: string) => number
  /** The manifest of the call before. */
  readonly previous?: ContextManifest | undefined
}

/** Describes what a call sends. Pure: it reads the request and nothing else. */
export function createManifest(request: ManifestRequest): ContextManifest {
  const { runId, step, agentName, provider, profile, estimate, previous } = request
  const blocks: ContextBlock[] = []
  let cached = previous !== undefined
  for (const draft of drafts(request)) {
    const index = blocks.length
    const hash = draft.message ? messageHash(draft.message) : contentHash(draft.sent)
    cached &&= previous?.blocks[index]?.hash === hash
    const { kind, origin, name, tokens } = draft
    blocks.push({ index, kind, origin, ...(name !== undefined && { name }), tokens, hash, cached })
  }
  const sum = (wanted: (block: ContextBlock) => boolean): number =>
    blocks.reduce((total, block) => total + (wanted(block) ? block.tokens : 0), 0)
  const described = estimate(request.toolPrompt ?? '')
  const systemTokens = Math.max(sum(({ kind }) => kind === 'system') - described, 0)
  const toolPromptTokens = sum(({ kind }) => kind === 'tool') + described
  const userTokens = sum(({ origin }) => origin === 'query')
  const historyTokens = sum(({ kind, origin }) => kind !== 'system' && origin === 'history')
  const totalEstimatedTokens = systemTokens + toolPromptTokens + historyTokens + userTokens
  const window = profile?.contextWindow
  return {
    runId,
    step,
    ...(agentName !== undefined && { agentName }),
    provider: provider.name,
    model: provider.model,
    systemTokens,
    toolPromptTokens,
    historyTokens,
    userTokens,
    totalEstimatedTokens,
    cachedTokens: sum((block) => block.cached),
    ...(window && { contextWindow: window, usedPercent: contextUse(totalEstimatedTokens, window).usedPercent }),
    blocks,
  }
}

/** A block before its place is known. */
interface Draft extends Pick<ContextBlock, 'kind' | 'origin' | 'tokens'> {
  readonly name?: string | undefined
  /** What goes to the server, for the hash; unset if there is a message. */
  readonly sent?: unknown
  readonly message?: ChatMessage
}

/** Hashes of messages that were sent before: a run sends all of them again in every step. */
const knownHashes = new WeakMap<ChatMessage, { readonly sent: readonly unknown[]; readonly hash: string }>()

/** The hash of a message. It is computed again if one of the message's fields was replaced since. */
function messageHash(message: ChatMessage): string {
  const known = knownHashes.get(message)
  const fields = fieldsOf(message)
  if (known?.sent.every((field, index) => field === fields[index])) return known.hash
  const hash = contentHash(sentOf(message))
  knownHashes.set(message, { sent: fields, hash })
  return hash
}

/** The fields that a hash depends on, as they are. */
function fieldsOf(message: ChatMessage): readonly unknown[] {
  if (message.role === 'tool') return [message.content, message.toolCallId, message.isError]
  if (message.role !== 'assistant') return [message.content, message.name]
  return [message.content, message.toolCalls, message.reasoning, message.origin?.state]
}

function* drafts({
  tools = [],
  system,
  messages,
  query,
  estimate,
}: ManifestRequest): Generator<Draft, void, undefined> {
  for (const tool of tools) {
    const { name, description, parameters, strict } = tool
    yield {
      kind: 'tool',
      origin: 'tools',
      name,
      tokens: estimate(JSON.stringify(tool)),
      sent: ['tool', name, description, parameters, strict],
    }
  }
  if (system !== undefined) {
    const message: ChatMessage = { role: 'system', content: system }
    yield { kind: 'system', origin: 'system', tokens: messageTokens(message, estimate), sent: sentOf(message) }
  }
  const asked = query === undefined ? -1 : messages.findLastIndex(isUserRequest)
  for (const [at, message] of messages.entries()) {
    const isQuery = at === asked && textOf(message.content) === query
    yield {
      kind: message.role === 'tool' ? 'tool-result' : message.role,
      origin: isQuery ? 'query' : 'history',
      name: writerOf(message),
      tokens: messageTokens(message, estimate),
      message,
    }
  }
}

function writerOf(message: ChatMessage): string | undefined {
  if (message.role === 'tool') return message.toolName
  if (message.role !== 'assistant') return message.name
  return message.origin && `${message.origin.provider}/${message.origin.model}`
}

/** The fields that reach a server, in one order; the order inside of them is theirs. */
function sentOf(message: ChatMessage): readonly unknown[] {
  const { role, content } = message
  if (role === 'tool') return [role, content, message.toolCallId, message.isError ?? false]
  if (role !== 'assistant') return [role, content, message.name]
  const calls = (message.toolCalls ?? []).map((call) => [call.id, call.name, call.argumentsText])
  return [role, content, calls, message.reasoning, message.origin?.state]
}
