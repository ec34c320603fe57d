/** The fields of an object that have a value; the others are left out. */
export function defined<Fields extends object>(
  fields: Fields,
): { readonly [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  const result: Partial<Fields> = {}
  for (const name in fields) if (fields[name] !== undefined) result[name] = fields[name]
  return result as { readonly [Name in keyof Fields]: Exclude<Fields[Name], undefined> }
}
