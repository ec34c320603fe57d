/** What a model takes. */
export interface ModelTraits {
  /** It reasons: takes `reasoning`, and gives its reasoning out encrypted. */
  readonly reasoning: boolean
  /** It takes a temperature. */
  readonly temperature: boolean
}

/**
 * What models take, by the start of their name; the longest start that fits wins, and a model without a row takes a temperature
 * and does not reason. `reasoningModel` in the configuration overrides it: a deployment may have any name.
 * @see https://developers.openai.com/api/docs/models (read 2026-11-21)
 */
const table: readonly (readonly [start: string, traits: ModelTraits])[] = [
  ['o1', { reasoning: true, temperature: false }],
  ['o3', { reasoning: true, temperature: false }],
  ['o4', { reasoning: true, temperature: false }],
  ['gpt-5', { reasoning: true, temperature: false }],
  ['gpt-5-chat', { reasoning: false, temperature: true }],
  ['codex-', { reasoning: true, temperature: false }],
  ['computer-use-preview', { reasoning: true, temperature: false }],
  ['gpt-4o-search-preview', { reasoning: false, temperature: false }],
  ['gpt-4o-mini-search-preview', { reasoning: false, temperature: false }],
]

/** Default model for delegated work at OpenAI's own hosts (2026-11-21); `cheapestModel` in the configuration overrides it. */
export const cheapestModel = 'gpt-5.4-mini'

/** What a model takes, by the table, or as the configuration says. */
export function modelTraits(model: string, reasoningModel?: boolean): ModelTraits {
  if (reasoningModel !== undefined) return { reasoning: reasoningModel, temperature: !reasoningModel }
  const name = model.replace(/^ft:/, '')
  const rows = table.filter(([start]) => name.startsWith(start)).sort(([a], [b]) => b.length - a.length)
  return rows[0]?.[1] ?? { reasoning: false, temperature: true }
}
