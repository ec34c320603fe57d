import type { CallOptions } from '@modelport/core'

/** How much a model can be told to think. */
export type ReasoningLevel = NonNullable<CallOptions['reasoning']>

/** What a model takes; decides what a request may hold. */
export interface ModelTraits {
  /** `thinkingConfig` per level. A level that is not in it cannot be said to the model. */
  readonly thinking: Readonly<Partial<Record<ReasoningLevel, Readonly<Record<string, unknown>>>>>
  /**
   * False for models that ignore a temperature: that of `defaults: 'reference'` is not sent then,
   * one the caller sets is.
   */
  readonly takesTemperature: boolean
  /** How schemas are sent: as JSON Schema, or converted to the API's OpenAPI form. */
  readonly schema: 'json-schema' | 'openapi'
  /** False for models that take function calls without a thought signature. */
  readonly needsSignatures: boolean
  /** False for models that take text only in a tool result. */
  readonly takesMediaResults: boolean
  /** False for models that refuse a system instruction: what it says begins the user's message. */
  readonly takesSystem: boolean
}

const level = (thinkingLevel: string): Readonly<Record<string, unknown>> => ({ thinkingLevel })
const budget = (thinkingBudget: number): Readonly<Record<string, unknown>> => ({ thinkingBudget })
const upperLevels = { low: level('LOW'), medium: level('MEDIUM'), high: level('HIGH') }
const allLevels = { none: level('MINIMAL'), minimal: level('MINIMAL'), ...upperLevels }
const newest: ModelTraits = {
  thinking: allLevels,
  takesTemperature: true,
  schema: 'json-schema',
  needsSignatures: true,
  takesMediaResults: true,
  takesSystem: true,
}
const older: ModelTraits = { ...newest, needsSignatures: false, takesMediaResults: false }
const withoutThinking = { ...older, thinking: { none: {} } }

/**
 * Traits by the start of the model's name, as documented on 2026-11-21; the longest that fits
 * counts. `none` is the level `MINIMAL`, which almost always means no thinking.
 * @see https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking (read
 * 2026-11-21)
 * @see https://ai.google.dev/gemini-api/docs/generate-content/whats-new-gemini-3.6 (read
 * 2026-11-21): temperature is ignored
 * @see https://ai.google.dev/gemini-api/docs/generate-content/latest-model (read 2026-11-21): the
 * levels of Gemini 4
 * @see https://ai.google.dev/gemini-api/docs/openai (read 2026-11-21): the budgets of low, medium
 * and high
 * @see https://ai.google.dev/gemma/docs/core/gemma_on_gemini_api (read 2026-11-30): the levels of
 * Gemma 4
 * @see https://github.com/google/adk-python/issues/3900 (read 2026-11-30): Gemma 3 refuses a system
 * instruction
 */
const rows: Readonly<Record<string, ModelTraits>> = {
  'gemini-3-pro': { ...newest, thinking: { low: level('LOW'), high: level('HIGH') } },
  'gemini-3.1-pro': { ...newest, thinking: upperLevels },
  'gemini-3.5-flash-lite': { ...newest, takesTemperature: false },
  'gemini-3.6-flash': { ...newest, takesTemperature: false },
  'gemini-3.7-flash': { ...newest, thinking: upperLevels, takesTemperature: false },
  'gemini-3.8-flash': { ...newest, thinking: upperLevels, takesTemperature: false },
  'gemini-4': { ...newest, thinking: upperLevels, takesTemperature: false },
  'gemini-2.5': {
    ...older,
    thinking: { none: budget(0), low: budget(1024), medium: budget(8192), high: budget(24_576) },
  },
  'gemini-2.5-pro': {
    ...older,
    thinking: { low: budget(1024), medium: budget(8192), high: budget(24_576) },
  },
  'gemini-2.0': withoutThinking,
  'gemini-1.5': { ...withoutThinking, schema: 'openapi' },
  'gemma-': { ...withoutThinking, takesSystem: false },
  'gemma-4': {
    ...newest,
    thinking: { none: level('MINIMAL'), minimal: level('MINIMAL'), high: level('HIGH') },
  },
}

/**
 * Default model for delegated work, as of 2026-11-21; `cheapestModel` of the configuration replaces
 * it.
 */
export const cheapestModel = 'gemini-3.1-flash-lite'

/** Tokens of this vendor's models per estimated token. */
export const tokenFactor = 1.05

/**
 * The traits of a model; `overrides` win over the table, and a model without a row is like the
 * newest.
 */
export function traitsOf(model: unknown, overrides?: Partial<ModelTraits>): ModelTraits {
  const name = String(model).replace(/^.*\//s, '')
  const fitting = Object.keys(rows).filter((start) => name.startsWith(start))
  const row = fitting.reduce(
    (longest, start) => (start.length > longest.length ? start : longest),
    '',
  )
  return { ...(rows[row] ?? newest), ...overrides }
}
