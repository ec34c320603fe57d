/** Stands for the id of the run or task in the texts of a stored value. */
const token = '\u0001'

/**
 * The short form of a value that a run stores: it leaves out fields that its row has in columns, and has a token in place of the id of the run, which
 * every key contains. A value that has one of the dropped fields was stored whole.
 *
 * @param dropped what the columns have
 */
export function shorten(value: object, id: string, dropped: object): object {
  const texts = textsOf(value)
  if (id.includes(token) || texts.some(([, text]) => text.includes(token))) return value
  const short = Object.fromEntries(texts.map(([name, text]) => [name, isShort(id) ? text : text.replaceAll(id, token)]))
  return omit({ ...value, ...short }, dropped)
}

/** The value that `shorten` was given. */
export function lengthen(stored: object, id: string, dropped: object): object {
  if (Object.keys(dropped).some((name) => name in stored)) return stored
  const long = Object.fromEntries(textsOf(stored).map(([name, text]) => [name, text.replaceAll(token, id)]))
  return { ...dropped, ...stored, ...long }
}

/** An id so short that its token in JSON would be longer. */
const isShort = (id: string): boolean => id.length <= JSON.stringify(token).length - 2

/** Fields that hold the id of the run. */
const named = ['runId', 'key', 'idempotencyKey'] as const

const textsOf = (value: object): readonly (readonly [string, string])[] =>
  named.flatMap((name) => {
    const text = (value as Readonly<Record<string, unknown>>)[name]
    return typeof text === 'string' ? [[name, text] as const] : []
  })

const omit = (value: object, dropped: object): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !(name in dropped)))
