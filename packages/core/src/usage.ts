/** Token counts of one turn, as the server reported them. A part is never larger than the whole it belongs to. */
export interface TokenCounts {
  /** The whole prompt, cached parts included. */
  readonly inputTokens: number
  /** Everything generated, reasoning included. */
  readonly outputTokens: number
  /** Part of `inputTokens` read from a cache. */
  readonly cacheReadTokens: number
  /** Part of `inputTokens` written to a cache. */
  readonly cacheCreationTokens: number
  /** Part of `outputTokens` spent on reasoning. */
  readonly reasoningTokens: number
}

/** Token counts of a whole stream or call. */
export interface TokenUsage extends TokenCounts {
  /** Estimate of what the tool definitions of the last request cost; already part of `inputTokens`. */
  readonly toolDefinitionTokens: number
  /** The counts of each turn, in order; they add up to the totals. */
  readonly turns: readonly TokenCounts[]
  /** False when a finished turn came without counts from the server: the totals are then too low. */
  readonly reported: boolean
}

/** How many tokens a prompt has, and who counted. */
export interface TokenCount {
  /** How many. */
  readonly tokens: number
  /** `provider` counted by the vendor's endpoint, `tokenizer` by the model's own on a server or in this process; `estimate` errs high. */
  readonly source: 'provider' | 'tokenizer' | 'estimate'
}

/** Counts of nothing. */
export const zeroCounts: TokenCounts = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
})

const names = Object.keys(zeroCounts) as (keyof TokenCounts)[]

/** Adds two counts. */
export const addCounts = (a: TokenCounts, b: TokenCounts): TokenCounts =>
  names.reduce((sum, name) => ({ ...sum, [name]: a[name] + b[name] }), zeroCounts)

/** The usage of these turns. */
export function toUsage(
  turns: readonly TokenCounts[],
  toolDefinitionTokens = 0,
  reported: boolean = turns.length > 0,
): TokenUsage {
  return { ...turns.reduce(addCounts, zeroCounts), toolDefinitionTokens, turns, reported }
}

/** Adds two usages: totals add up, turns are appended, the later tool estimate stays. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  if (!a.turns.length) return b
  if (!b.turns.length) return a
  return toUsage([...a.turns, ...b.turns], b.toolDefinitionTokens, a.reported && b.reported)
}
