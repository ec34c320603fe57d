/** The fields with these names that have a value. */
export const given = <Fields extends object, Name extends keyof Fields>(
  fields: Fields,
  ...names: readonly Name[]
) =>
  Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  ) as {
    readonly [Each in Name]?: Exclude<Fields[Each], undefined>
  }
