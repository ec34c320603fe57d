import type { CallOptions } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'

/** What a model takes; decides what a request may hold. */
export interface ModelTraits {
  /** How it is told to think: not at all, by a number of tokens, or by an effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive'
  /** Levels of `reasoning` that it has besides `none`. */
  readonly efforts: readonly NonNullable<CallOptions['reasoning']>[]
  /** How thinking is turned off: by saying nothing, by a `thinking` of this type, or never. */
  readonly thinkingOff: 'omit' | 'disabled' | 'between_tools' | 'never'
  /** True where thinking text comes back empty unless `display: 'summarized'` asks for it. */
  readonly thinkingDisplay: boolean
  /**
   * Whether it takes `temperature`, `top_p` and `top_k`; `unknown` sends only what the caller set.
   */
  readonly sampling: 'accepted' | 'refused' | 'unknown'
  /** False where a `toolChoice` that forces a call is refused. */
  readonly forcedTools: boolean
  /** True where a system message may stand within the conversation. */
  readonly systemWithin: boolean
  /**
   * True where thinking is bound to all that stood before it: sent back after something else, it is
   * refused.
   */
  readonly bindsThinking: boolean
  /**
   * Maximum tokens of one reply: sent where no `maxTokens` is set, since the API requires a number.
   * A model that is not in the table has 32,000, the least of all models since Claude 4.
   */
  readonly maxOutput: number
  /** Multiplies the token estimate. */
  readonly tokenFactor: number
}

/** Names of {@link ModelTraits}. */
export const traitNames: readonly string[] = namesOf<ModelTraits>({
  thinking: true,
  efforts: true,
  thinkingOff: true,
  thinkingDisplay: true,
  sampling: true,
  forcedTools: true,
  systemWithin: true,
  bindsThinking: true,
  maxOutput: true,
  tokenFactor: true,
})

/** Default model for delegated work; of 2026-11-21. */
export const cheapestModel = 'claude-haiku-4-5-20251001'

/**
 * Measured with the API's own count: English text has 4.3 characters a token before Opus 4.7 and
 * 3.6 since, TypeScript 3.7 and 2.7.
 * @see https://pithwire.com/en/articles/measuring-claude-47s-tokenizer-costs/ (read 2026-11-21)
 */
const tokenFactors = { before: 1.15, since: 1.5 } as const

const usual = ['low', 'medium', 'high'] as const

const unknownModel: ModelTraits = {
  thinking: 'adaptive',
  efforts: [...usual, 'xhigh', 'max'],
  thinkingOff: 'disabled',
  thinkingDisplay: false,
  sampling: 'unknown',
  forcedTools: true,
  systemWithin: false,
  bindsThinking: false,
  maxOutput: 32_000,
  tokenFactor: tokenFactors.before,
}
const plain: ModelTraits = {
  ...unknownModel,
  thinking: 'none',
  thinkingOff: 'omit',
  sampling: 'accepted',
  maxOutput: 64_000,
}
const budgeted: ModelTraits = { ...plain, thinking: 'budget', efforts: usual }
const adaptive: ModelTraits = {
  ...plain,
  thinking: 'adaptive',
  efforts: [...usual, 'max'],
  maxOutput: 128_000,
}
const unsampled: ModelTraits = {
  ...adaptive,
  efforts: unknownModel.efforts,
  thinkingDisplay: true,
  sampling: 'refused',
  tokenFactor: tokenFactors.since,
}
const current: ModelTraits = { ...unsampled, thinkingOff: 'disabled', systemWithin: true }
const always: ModelTraits = { ...current, thinkingOff: 'never' }
const binding: ModelTraits = { ...always, forcedTools: false, bindsThinking: true }

/**
 * Traits by model, of 2026-11-21; a row is for the name and for the name followed by `-` or `@` and
 * more. The longest row wins.
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking (read 2026-11-21)
 * @see
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation
 * (read 2026-11-21)
 * @see https://platform.claude.com/docs/en/build-with-claude/effort (as quoted by
 * reference.langchain.com, read 2026-11-24): `max` since 4.6, `xhigh` since Opus 4.7 and Sonnet 5
 * @see https://github.com/anthropics/skills/blob/main/skills/claude-api/SKILL.md (read 2026-11-21)
 * @see https://platform.claude.com/docs/en/models/overview and the page of each model (read
 * 2026-11-28): the largest replies
 */
const rows: Readonly<Record<string, ModelTraits>> = {
  'claude-instant': { ...plain, maxOutput: 4096 },
  'claude-2': { ...plain, maxOutput: 4096 },
  'claude-3': { ...plain, maxOutput: 4096 },
  'claude-3-5': { ...plain, maxOutput: 8192 },
  'claude-3-7': budgeted,
  'claude-sonnet-4': budgeted,
  'claude-opus-4': { ...budgeted, maxOutput: 32_000 },
  'claude-opus-4-5': budgeted,
  'claude-haiku-4': budgeted,
  'claude-sonnet-4-6': adaptive,
  'claude-opus-4-6': adaptive,
  'claude-opus-4-7': unsampled,
  'claude-opus-4-8': { ...unsampled, systemWithin: true },
  'claude-sonnet-5': { ...current, systemWithin: false },
  'claude-sonnet-5-5': { ...binding, thinkingOff: 'between_tools' },
  'claude-haiku-5': current,
  'claude-haiku-5-5': { ...current, bindsThinking: true },
  'claude-opus-5': current,
  'claude-opus-5-5': binding,
  'claude-fable-5': always,
  'claude-fable-5-1': binding,
  'claude-fable-5-2': binding,
  'claude-mythos-preview': { ...always, systemWithin: false },
  'claude-mythos-5': always,
  'claude-mythos-5-1': binding,
  'claude-mythos-5-2': binding,
}

/**
 * The traits of a model; `overrides` win over the table. Skips a gateway's `vendor/` before the
 * name, and a region's `us.anthropic.`.
 */
export function traitsOf(model: unknown, overrides?: Partial<ModelTraits>): ModelTraits {
  // createProvider rejects a model that is not a string.
  const name = String(model).replace(/^(.*[/]|([a-z]+[.])?anthropic[.])/s, '')
  const fitting = Object.keys(rows).filter(
    (row) => name === row || name.startsWith(`${row}-`) || name.startsWith(`${row}@`),
  )
  const row = fitting.reduce(
    (longest, candidate) => (candidate.length > longest.length ? candidate : longest),
    '',
  )
  return { ...(rows[row] ?? unknownModel), ...overrides }
}
