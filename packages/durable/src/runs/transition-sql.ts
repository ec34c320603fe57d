import type { SqlValue } from '../database/database.js'

/** SQL with `?` for each `:name`, and the names in their order. */
export interface Template {
  readonly sql: string
  readonly names: readonly string[]
}

/** The values of each `:name` of a transition. */
export type Values = Readonly<Record<string, SqlValue>>

/** Puts `?` for each `:name`. */
export function templateOf(text: string): Template {
  const names: string[] = []
  const sql = text.replace(/:([a-z]+)/g, (_, name: string) => {
    names.push(name)
    return '?'
  })
  return { sql, names }
}

/** What the columns become, as the part of a statement behind `SET`. */
export const columnsOf = (set: Readonly<Record<string, string>>): Template =>
  templateOf(
    Object.entries(set)
      .map(([column, value]) => `${column} = ${value}`)
      .join(', '),
  )

/** The value of a name. @throws {TypeError} it is missing */
export function valueOf(values: Values, name: string): SqlValue {
  const value = values[name]
  if (value === undefined) throw new TypeError(`the value ":${name}" of a transition is missing`)
  return value
}

/** The parameters of a template. */
export const paramsOf = ({ names }: Template, values: Values): readonly SqlValue[] =>
  names.map((one) => valueOf(values, one))

/**
 * The compiled form of each change of a table, by its name. Statements are made for every write, so
 * each change is compiled once, when it is first needed.
 */
export function compiledOnce<Name extends string, Change, Compiled>(
  table: Readonly<Record<Name, Change>>,
  compile: (change: Change) => Compiled,
): (name: Name) => Compiled {
  const compiled = new Map<Name, Compiled>()
  return (name) => {
    const known = compiled.get(name)
    if (known !== undefined) return known

    const made = compile(table[name])
    compiled.set(name, made)
    return made
  }
}
