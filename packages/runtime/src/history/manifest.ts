import {
  type ChatMessage,
  type ModelProfile,
  type Provider,
  type ToolDefinition,
  textOf,
} from '@modelport/core'
import { contextUse } from '../budget/metrics.js'
import { type KnownPart, knownMessage, knownTool, systemMessage } from './known-parts.js'
import { isUserRequest } from './run-message.js'

/** One piece of a prompt. */
export interface ContextBlock {
  /** Its place in the prompt, from 0. */
  readonly index: number
  /** What part of the prompt it is. */
  readonly kind: 'tool' | 'system' | 'user' | 'assistant' | 'tool-result'
  /**
   * Where it comes from: `tools`, `system` (the option), `query` (what the user said last, when it
   * is the query), or `history`.
   */
  readonly origin: 'tools' | 'system' | 'query' | 'history'
  /** Name of the tool, or of the author of the message: a model as `provider/model`. */
  readonly name?: string
  /** Estimated. */
  readonly tokens: number
  /**
   * SHA-256 of the sent form in hexadecimal; the order of keys in schemas and arguments counts, as
   * it does for caches.
   */
  readonly hash: string
  /**
   * True when this block and all before it are as in the previous manifest: what a server's cache
   * may still hold.
   */
  readonly cached: boolean
}

/**
 * The content of one call, block by block, in the order that servers use: tools, system, messages.
 * It never changes the request.
 */
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
  /** The context window of the profile. */
  readonly contextWindow?: number
  /** Percent with three decimals. */
  readonly usedPercent?: number
  /** Every part of the prompt, in order. */
  readonly blocks: readonly ContextBlock[]
}

/** The input of {@link createManifest}. */
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
  /**
   * The part of the system text that describes tools, where they are not sent in the API's own
   * form.
   */
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
  const sums = { system: 0, tool: 0, query: 0, history: 0, cached: 0 }
  let cached = previous !== undefined
  visitParts(request, (kind, origin, name, { tokens, hash }) => {
    const index = blocks.length
    const before = previous?.blocks[index]
    cached &&= before?.hash === hash
    const isKnown =
      cached &&
      before?.cached &&
      before.origin === origin &&
      before.name === name &&
      before.tokens === tokens
    // Two literals: a spread takes ten times as long.
    if (isKnown) blocks.push(before)
    else if (name === undefined) blocks.push({ index, kind, origin, tokens, hash, cached })
    else blocks.push({ index, kind, origin, name, tokens, hash, cached })
    sums[kind === 'system' || kind === 'tool' ? kind : origin === 'query' ? 'query' : 'history'] +=
      tokens
    if (cached) sums.cached += tokens
  })
  const described = estimate(request.toolPrompt ?? '')
  const systemTokens = Math.max(sums.system - described, 0)
  const toolPromptTokens = sums.tool + described
  const { query: userTokens, history: historyTokens } = sums
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
    cachedTokens: sums.cached,
    ...(window && {
      contextWindow: window,
      usedPercent: contextUse(totalEstimatedTokens, window).usedPercent,
    }),
    blocks,
  }
}

/** Estimated tokens of a call: `totalEstimatedTokens` of its manifest, without making it. */
export function contextTokens({
  tools = [],
  system,
  messages,
  toolPrompt = '',
  estimate,
}: Pick<ManifestRequest, 'tools' | 'system' | 'messages' | 'toolPrompt' | 'estimate'>): number {
  let systemTokens = system === undefined ? 0 : knownMessage(systemMessage(system), estimate).tokens
  let others = 0
  for (const tool of tools) others += knownTool(tool, estimate).tokens
  for (const message of messages) {
    const { tokens } = knownMessage(message, estimate)
    if (message.role === 'system') systemTokens += tokens
    else others += tokens
  }
  const described = estimate(toolPrompt)
  return Math.max(systemTokens - described, 0) + described + others
}

type Visit = (
  kind: ContextBlock['kind'],
  origin: ContextBlock['origin'],
  name: string | undefined,
  known: KnownPart,
) => void

/** Visits the parts of a prompt, in order. */
function visitParts(
  { tools = [], system, messages, query, estimate }: ManifestRequest,
  visit: Visit,
): void {
  for (const tool of tools) visit('tool', 'tools', tool.name, knownTool(tool, estimate))
  if (system !== undefined)
    visit('system', 'system', undefined, knownMessage(systemMessage(system), estimate))
  const asked = query === undefined ? -1 : messages.findLastIndex(isUserRequest)
  messages.forEach((message, at) => {
    const kind = message.role === 'tool' ? 'tool-result' : message.role
    const isQuery = at === asked && textOf(message.content) === query
    visit(kind, isQuery ? 'query' : 'history', writerOf(message), knownMessage(message, estimate))
  })
}

function writerOf(message: ChatMessage): string | undefined {
  if (message.role === 'tool') return message.toolName
  if (message.role !== 'assistant') return message.name
  return message.origin && `${message.origin.provider}/${message.origin.model}`
}
