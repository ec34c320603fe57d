import type { ChatMessage, ModelProfile, Provider, ToolDefinition } from '@modelport/core'

/** One piece of a prompt. */
export interface ContextBlock {
  readonly index: number
  readonly kind: 'tool' | 'system' | 'user' | 'assistant' | 'tool-result'
  /** Where it comes from: `tools`, `system` (the option), `query` (the newest user message, when it is the query), or `history`. */
  readonly origin: 'tools' | 'system' | 'query' | 'history'
  /** Of the tool, or of the message's writer. */
  readonly name?: string
  /** Estimated. */
  readonly tokens: number
  /** SHA-256 of the block's canonical JSON, in hexadecimal. */
  readonly hash: string
  /** True when this block and all before it are as in the previous manifest: what a server's cache may still hold. */
  readonly cached: boolean
}

/** What one call sends, block by block, in the order in which servers put it: tools, system, messages. It never changes the request. */
export interface ContextManifest {
  readonly runId: string
  readonly step: number
  readonly agentName?: string
  readonly provider: string
  readonly model: string
  readonly systemTokens: number
  readonly toolPromptTokens: number
  readonly historyTokens: number
  readonly userTokens: number
  /** The sum of the four above. */
  readonly totalEstimatedTokens: number
  /** Tokens of the blocks that are `cached`. */
  readonly cachedTokens: number
  /** Of the profile. */
  readonly contextWindow?: number
  /** Percent with three decimals. */
  readonly usedPercent?: number
  readonly blocks: readonly ContextBlock[]
}

/** What {@link createManifest} is told. */
export interface ManifestRequest {
  readonly runId: string
  readonly step: number
  readonly agentName?: string
  readonly provider: Pick<Provider, 'name' | 'model'>
  readonly messages: readonly ChatMessage[]
  /** The `system` option. */
  readonly system?: string
  /** Definitions sent in the API's own form. */
  readonly tools?: readonly ToolDefinition[]
  /** The part of the system text that describes tools, where they are not sent in the API's own form. */
  readonly toolPrompt?: string
  /** The request of the run: the newest user message equal to it counts as `userTokens`. */
  readonly query?: string
  readonly profile?: ModelProfile
  estimate(text: string): number
  /** The manifest of the call before. */
  readonly previous?: ContextManifest
}

/** Describes what a call sends. */
export function createManifest(request: ManifestRequest): ContextManifest {
  throw new TypeError(`not written yet ${typeof request}`)
}
