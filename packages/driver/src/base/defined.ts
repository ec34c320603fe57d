/** The fields of an object that have a value; the others are left out. */
export const defined = <Fields extends object>(
  fields: Fields,
): { readonly [Name in keyof Fields]: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Fields]: Exclude<Fields[Name], undefined>
  }
