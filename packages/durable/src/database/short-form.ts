import { Buffer } from 'node:buffer'

/**
 * Stands for the id of the run or task in the texts of a stored value: a character of nobody's
 * alphabet, which JSON does not escape.
 */
const token = '\ue000'

/**
 * The short form of a value that a run stores: it leaves out fields that its row has in columns,
 * and has a token in place of the id of the run, which every key contains. A value that has one of
 * the dropped fields was stored whole.
 *
 * @param dropped what the columns have
 */
export function shorten(value: object, id: string, dropped: object): object {
  if (id.includes(token)) return value
  const short: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    if (name in dropped) continue
    if (typeof field !== 'string' || !named.has(name)) short[name] = field
    else if (field.includes(token)) return value
    else short[name] = id.length <= tokenLength ? field : field.replaceAll(id, token)
  }
  return short
}

/** The value that `shorten` was given. */
export function lengthen(stored: object, id: string, dropped: object): object {
  if (Object.keys(dropped).some((name) => name in stored)) return stored
  const long = Object.fromEntries(
    textsOf(stored).map(([name, text]) => [name, text.replaceAll(token, id)]),
  )
  return { ...dropped, ...stored, ...long }
}

/** Bytes of the token: an id that is not longer stays. */
const tokenLength = Buffer.byteLength(token)

const named: ReadonlySet<string> = new Set(['runId', 'key', 'idempotencyKey'])

const textsOf = (value: object): readonly (readonly [string, string])[] =>
  [...named].flatMap((name) => {
    const text = (value as Readonly<Record<string, unknown>>)[name]
    return typeof text === 'string' ? [[name, text] as const] : []
  })
