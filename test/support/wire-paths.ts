import type { CorpusCase } from './corpus.js'

/** Keys and indices from the root of a record to a value. */
export type Path = readonly (string | number)[]

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The records of a body, those that are JSON. */
export function recordsOf({ response: { framing, body } }: CorpusCase): {
  values: unknown[]
  join(values: unknown[]): string
} {
  if (framing === 'json' || framing === 'json-array') {
    const value = JSON.parse(body) as unknown
    return { values: [value], join: ([changed]) => JSON.stringify(changed) }
  }
  const lines = body.split('\n')
  const prefix = framing === 'sse' ? 'data:' : ''
  const places = lines.flatMap((line, index) =>
    line.startsWith(prefix) && /^\s*[{[]/.test(line.slice(prefix.length)) ? [index] : [],
  )
  const parsed = places.flatMap((index) => {
    try {
      return [[index, JSON.parse((lines[index] ?? '').slice(prefix.length)) as unknown] as const]
    } catch {
      return []
    }
  })
  return {
    values: parsed.map(([, value]) => value),
    join: (values) => {
      const changed = [...lines]
      parsed.forEach(([index], at) => {
        changed[index] = `${prefix}${JSON.stringify(values[at])}`
      })
      return changed.join('\n')
    },
  }
}

/** The path of each value that is not an object or a list. */
export function* leavesIn(value: unknown, path: Path = []): Generator<Path> {
  // A null stands for a field that is not there: no other value of its type is known.
  if (value === null) return
  if (!isObject(value)) yield path
  else
    for (const [key, inner] of Object.entries(value))
      yield* leavesIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

/** The path with indices left out; keys of free-form objects (arguments, schemas) are one path. */
export const nameOf = (path: Path): string =>
  path
    .map((step) => (typeof step === 'number' ? '[]' : step))
    .join('.')
    .replace(
      /((?:^|\.)(?:args|arguments|input|parameters|\w*schema|properties|metadata|provider_metadata|text\.format))\..*/,
      '$1.*',
    )
