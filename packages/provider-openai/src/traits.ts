/** What a model takes; decides what a request may hold. */
export interface ModelTraits {
  /**
   * True for a model that reasons: it takes `reasoning`, returns its reasoning encrypted, and reads
   * its token limit from `max_completion_tokens`.
   */
  readonly reasoning: boolean
  /**
   * False for models that refuse a temperature. The default temperature is then left out; one that
   * the caller sets is sent anyway.
   */
  readonly takesTemperature: boolean
}

/**
 * What models take, by the start of their name; the longest start that fits wins, and a model
 * without a row takes a temperature and does not reason. `traits` in the configuration override it:
 * a deployment may have any name.
 * @see https://developers.openai.com/api/docs/models (read 2026-11-21)
 * @see https://github.com/akitaonrails/ai-memory/issues/851 (read 2026-11-21): GPT-6 refuses a
 * temperature
 */
const table: readonly (readonly [start: string, traits: ModelTraits])[] = [
  ['o1', { reasoning: true, takesTemperature: false }],
  ['o3', { reasoning: true, takesTemperature: false }],
  ['o4', { reasoning: true, takesTemperature: false }],
  ['gpt-5', { reasoning: true, takesTemperature: false }],
  ['gpt-5-chat', { reasoning: false, takesTemperature: true }],
  ['gpt-6', { reasoning: true, takesTemperature: false }],
  ['codex-', { reasoning: true, takesTemperature: false }],
  ['computer-use-preview', { reasoning: true, takesTemperature: false }],
  ['gpt-4o-search-preview', { reasoning: false, takesTemperature: false }],
  ['gpt-4o-mini-search-preview', { reasoning: false, takesTemperature: false }],
]

/**
 * Default model for delegated work at OpenAI's own hosts (2026-11-21); `cheapestModel` in the
 * configuration overrides it.
 */
export const cheapestModel = 'gpt-5.4-mini'

/**
 * The traits of a model; `overrides` win over the table. If they set `reasoning`, the table is not
 * read: a model that reasons takes no temperature then, and any other takes one.
 */
export function traitsOf(model: unknown, overrides: Partial<ModelTraits> = {}): ModelTraits {
  // createProvider rejects a model that is not a string.
  const name = String(model).replace(/^ft:/, '')
  const { reasoning } = overrides
  const traits =
    reasoning === undefined ? traitsByName(name) : { reasoning, takesTemperature: !reasoning }
  return { ...traits, ...overrides }
}

function traitsByName(name: string): ModelTraits {
  const rows = table
    .filter(([start]) => name.startsWith(start))
    .sort(([a], [b]) => b.length - a.length)
  return rows[0]?.[1] ?? { reasoning: false, takesTemperature: true }
}
