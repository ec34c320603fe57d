/** What a vendor takes as the name of a tool, made of any text. */
const toValidName = (name: string): string => name.replace(/[^\w-]/g, '_').slice(0, 64)

/**
 * The names of tools as models see them, by the names of the server: different names stay
 * different. Rules that allow a tool go by these names, so they are given to all tools, including
 * those that are left out, and a tool keeps its name while others come and go.
 * @param groups names of the server; an earlier group takes its names first
 * @param taken names that are used otherwise
 */
export function toolNames(
  groups: readonly (readonly string[])[],
  prefix: string,
  taken: Iterable<string> = [],
): ReadonlyMap<string, string> {
  const used = new Set(taken)
  const names = new Map<string, string>()
  const give = (own: string): void => {
    if (names.has(own)) return
    const valid = toValidName(prefix + own)
    let name = valid
    for (let number = 2; used.has(name); number++) name = `${valid.slice(0, 60)}_${number}`
    used.add(name)
    names.set(own, name)
  }
  for (const group of groups) {
    // A name that is valid as it is belongs to its tool, wherever the server lists it.
    group.filter((own) => toValidName(prefix + own) === prefix + own).forEach(give)
    group.forEach(give)
  }
  return names
}
