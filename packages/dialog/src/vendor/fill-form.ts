import type { JsonObject } from '@modelport/core'

/**
 * Puts settings into the places `{setting}` of a form; a field whose setting is unset is left out.
 */
export const fillForm = (
  form: JsonObject,
  settings: Readonly<Record<string, unknown>>,
): JsonObject =>
  Object.fromEntries(
    Object.entries(form).flatMap(([key, inner]) => {
      const filled = fill(inner, settings)
      return filled === undefined ? [] : [[key, filled]]
    }),
  )

function fill(form: unknown, settings: Readonly<Record<string, unknown>>): unknown {
  if (typeof form === 'string') {
    const name = /^\{(\w+)\}$/.exec(form)?.[1]
    return name === undefined ? form : settings[name]
  }
  if (Array.isArray(form)) return form.map((item) => fill(item, settings))
  // The rest is an object of a form, which is plain JSON.
  return typeof form === 'object' && form !== null ? fillForm(form as JsonObject, settings) : form
}
