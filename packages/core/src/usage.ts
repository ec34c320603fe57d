/**
 * Tokens by modality (`text`, `image`, `audio`, `video`, `document`), or by another name of the
 * vendor.
 */
export type NamedCounts = Readonly<Record<string, number>>

/**
 * Counts of a model other than the one that wrote the reply, for example of an advisor. They are
 * part of the totals.
 */
export interface ModelTokenCounts {
  /** The model that used them, as the server names it. */
  readonly model: string
  /** Part of `inputTokens`, its own cached parts included. */
  readonly inputTokens: number
  /** Part of `outputTokens`. */
  readonly outputTokens: number
  /** Part of this entry's `inputTokens`. */
  readonly cacheReadTokens: number
  /** Part of this entry's `inputTokens`. */
  readonly cacheCreationTokens: number
}

/**
 * Token counts of one turn, as the server reported them. A part is never larger than the whole it
 * belongs to. Optional fields are unset if the server reported nothing of the kind.
 */
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
  /**
   * Tokens of the server's total that it attributes neither to input nor to output. Token budgets
   * count them, prices do not.
   */
  readonly unattributedTokens?: number
  /** What the server says it charges, in US dollars. */
  readonly cost?: number
  /** Parts of it, and other sums that a router reports, by the vendor's field name. */
  readonly costParts?: NamedCounts
  /** Parts of `inputTokens` by modality. */
  readonly inputByModality?: NamedCounts
  /** Parts of `outputTokens` by modality. */
  readonly outputByModality?: NamedCounts
  /** Parts of `cacheCreationTokens` by lifetime: `5m`, `1h`. */
  readonly cacheCreationByLifetime?: NamedCounts
  /**
   * Parts of `outputTokens` that a predicted reply had: `accepted`, and `rejected`, which cost the
   * same.
   */
  readonly predictionTokens?: NamedCounts
  /**
   * How often the vendor ran its own tools, by the vendor's name of the count, for example
   * `web_search_requests`.
   */
  readonly providerToolCounts?: NamedCounts
  /** Parts of the totals that other models used; their prices apply. */
  readonly otherModels?: readonly ModelTokenCounts[]
}

/** Token counts of a whole stream or call. */
export interface TokenUsage extends TokenCounts {
  /**
   * Estimate of what the tool definitions of the last request cost; already part of `inputTokens`.
   */
  readonly toolDefinitionTokens: number
  /** The counts of each turn, in order; they add up to the totals. */
  readonly turns: readonly TokenCounts[]
  /**
   * False when a turn came without counts from the server: the totals are then too low, or hold an
   * estimate of a turn of a run that broke off.
   */
  readonly reported: boolean
}

/** How many tokens a prompt has, and what counted them. */
export interface TokenCount {
  /** How many. */
  readonly tokens: number
  /**
   * `provider` counted by the vendor's endpoint, `tokenizer` by the model's own on a server or in
   * this process; `estimate` errs high.
   */
  readonly source: 'provider' | 'tokenizer' | 'estimate'
}

/** All counts at zero. */
export const zeroCounts: TokenCounts = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
})

const optional = ['unattributedTokens', 'cost'] as const
const named = [
  'inputByModality',
  'outputByModality',
  'cacheCreationByLifetime',
  'providerToolCounts',
  'costParts',
  'predictionTokens',
] as const

/** Adds two counts. An optional field that neither has stays unset. */
export function addCounts(a: TokenCounts, b: TokenCounts): TokenCounts {
  const rest: Record<string, unknown> = {}
  for (const name of optional)
    if (name in a || name in b) rest[name] = (a[name] ?? 0) + (b[name] ?? 0)
  for (const name of named) if (name in a || name in b) rest[name] = addNamed(a[name], b[name])
  if (a.otherModels ?? b.otherModels)
    rest['otherModels'] = [...(a.otherModels ?? []), ...(b.otherModels ?? [])]
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...rest,
  }
}

function addNamed(a: NamedCounts = {}, b: NamedCounts = {}): NamedCounts {
  const sum = { ...a }
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count
  return sum
}

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
  const { toolDefinitionTokens, turns } = b
  const reported = a.reported && b.reported
  return {
    ...turns.reduce(addCounts, a),
    toolDefinitionTokens,
    turns: [...a.turns, ...turns],
    reported,
  }
}
