import type { CallOptions } from '@modelport/core'

/** How much a model can be told to think. */
export type ReasoningLevel = NonNullable<CallOptions['reasoning']>

/** What models differ in. Unset fields are as in the newest models. */
export interface ModelFacts {
  /** Models whose id begins so; the longest that fits counts. */
  readonly prefix: string
  /** `thinkingConfig` per level. A level that is not in it cannot be said to the model. */
  readonly thinking?: Readonly<Partial<Record<ReasoningLevel, Readonly<Record<string, unknown>>>>>
  /** False for models that ignore a temperature: the default one is not sent then, one the caller sets is. Default true. */
  readonly takesTemperature?: boolean
  /** How schemas are sent: as JSON Schema (default) or converted to the API's OpenAPI form. */
  readonly schema?: 'json-schema' | 'openapi'
  /** False for models that take function calls without a thought signature. Default true. */
  readonly needsSignatures?: boolean
  /** False for models that take text only in a tool result. Default true. */
  readonly takesMediaResults?: boolean
}

const level = (thinkingLevel: string): Readonly<Record<string, unknown>> => ({ thinkingLevel })
const budget = (thinkingBudget: number): Readonly<Record<string, unknown>> => ({ thinkingBudget })
const upperLevels = { low: level('LOW'), medium: level('MEDIUM'), high: level('HIGH') }
const allLevels = { none: level('MINIMAL'), ...upperLevels }
const older = { needsSignatures: false, takesMediaResults: false } as const

/**
 * As documented on 2026-11-21. `none` is the level `MINIMAL`, which almost always means no thinking.
 * @see https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking (read 2026-11-21)
 * @see https://ai.google.dev/gemini-api/docs/generate-content/whats-new-gemini-3.6 (read 2026-11-21): temperature is ignored
 * @see https://ai.google.dev/gemini-api/docs/openai (read 2026-11-21): the budgets of low, medium and high
 */
export const modelFacts: readonly ModelFacts[] = [
  { prefix: '', thinking: allLevels },
  { prefix: 'gemini-3-pro', thinking: { low: level('LOW'), high: level('HIGH') } },
  { prefix: 'gemini-3.1-pro', thinking: upperLevels },
  { prefix: 'gemini-3.5-flash-lite', thinking: allLevels, takesTemperature: false },
  { prefix: 'gemini-3.6-flash', thinking: allLevels, takesTemperature: false },
  { prefix: 'gemini-3.7-flash', thinking: upperLevels, takesTemperature: false },
  { prefix: 'gemini-3.8-flash', thinking: upperLevels, takesTemperature: false },
  { prefix: 'gemini-2.5', thinking: { none: budget(0), low: budget(1024), medium: budget(8192), high: budget(24_576) }, ...older },
  { prefix: 'gemini-2.5-pro', thinking: { low: budget(1024), medium: budget(8192), high: budget(24_576) }, ...older },
  { prefix: 'gemini-2.0', thinking: { none: {} }, ...older },
  { prefix: 'gemini-1.5', thinking: { none: {} }, schema: 'openapi', ...older },
]

/** Default model for delegated work, as of 2026-11-21; `cheapestModel` of the configuration replaces it. */
export const cheapestModel = 'gemini-3.1-flash-lite'

/** Tokens of this vendor's models per estimated token. */
export const tokenFactor = 1.05

/** The facts of a model: rows of the caller win over equally long built-in ones. */
export function factsOf(model: string, rows: readonly ModelFacts[] = []): ModelFacts {
  const id = model.slice(model.lastIndexOf('/') + 1)
  const fitting = [...modelFacts, ...rows].filter(({ prefix }) => id.startsWith(prefix))
  return fitting.reduce((best, row) => (row.prefix.length >= best.prefix.length ? row : best), { prefix: '' })
}
