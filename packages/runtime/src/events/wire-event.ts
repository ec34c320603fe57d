import type { RunEvent } from './run-event.js'

/** Values that are somebody's data: the names in them are not ours to change. */
const opaque = new Set(['args', 'result', 'payload', 'prompt', 'content', 'message'])

/**
 * An event in its wire form: plain JSON, the same `type`, every field in snake_case. Arguments, results and the model's own actions stay as they are;
 * what is no JSON in them is described.
 */
export function toWireEvent(event: RunEvent): Readonly<Record<string, unknown>> {
  return rename(event) as Readonly<Record<string, unknown>>
}

function rename(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rename)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      inner === undefined
        ? []
        : [
            [
              toSnake(key),
              key === 'limit' && typeof inner === 'string'
                ? toSnake(inner)
                : opaque.has(key)
                  ? toPlain(inner)
                  : rename(inner),
            ],
          ],
    ),
  )
}

const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function toPlain(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? null : (JSON.parse(text) as unknown)
  } catch (error) {
    return `(no JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown error'})`
  }
}
