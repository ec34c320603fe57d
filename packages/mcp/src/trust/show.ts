import type { Redact } from '@modelport/core'
import { warn } from '../observer.js'
import { mapTexts } from '../secrets.js'
import type { McpSettings } from '../settings.js'
import { toVisibleText } from './visible-text.js'

/** Selects how a part is read. */
export const structure: ReadonlySet<string> = new Set(['type'])

/** Maximum places that are warned of. */
const mostPlaces = 1000

/**
 * What a server sent as models and people may see it: without credentials, hidden characters
 * written as `\u{E0041}`. `where` names it in the one warning about those. Fields of the names in
 * `kept` stay as they are.
 * @throws {LlmError} `limit-exceeded` — it is nested too deeply, or has too many hidden characters.
 */
export type Show = <T>(value: T, where: string, kept?: ReadonlySet<string>) => T

/** Makes the function for one server. */
export function createShow(settings: McpSettings, redact: Redact): Show {
  const places = new Set<string>()
  return (value, where, kept) => {
    const found = { count: 0, first: '' }
    const toVisible = (text: string): string => toVisibleText(text, found)
    const shown = mapTexts(value, (text) => toVisible(redact(text)), kept, toVisible)
    if (found.count && places.size < mostPlaces && !places.has(where)) {
      places.add(where)
      const what = `${found.count} hidden character${found.count > 1 ? 's' : ''}, shown as text: ${found.first}`
      warn(settings, `${where}: ${what}${found.count > 1 ? ' …' : ''}`)
    }
    return shown
  }
}
