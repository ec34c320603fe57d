export { isLoopback } from './loopback.js'
export { optionForms } from './option-forms.js'
export { namesOf, optionNames } from './option-names.js'

/** The known name that was probably meant, or undefined when none is near. Case does not matter. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase()
  let best: string | undefined
  let least = Infinity
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance >= least || distance > Math.max(1, 0.4 * Math.max(wanted.length, candidate.length))) continue
    least = distance
    best = candidate
  }
  return best
}

/** Ends a message about an unknown name: with the one that was probably meant, else with `otherwise`, by default all that are known. */
export function suggest(
  name: string,
  known: Iterable<string>,
  otherwise = `; known: ${[...known].join(', ') || 'none'}`,
): string {
  const near = nearest(name, known)
  return near === undefined ? otherwise : `; did you mean "${near}"?`
}

/** What other libraries call a setting, and what is meant here: the first that the settings have. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  abortSignal: ['signal'],
  args: ['arguments'],
  contextId: ['sessionId'],
  inputSchema: ['parameters'],
  instructions: ['system'],
  maxOutputTokens: ['maxTokens'],
  maxRetries: ['retry.attempts'],
  prompt: ['query', 'messages'],
  providerOptions: ['vendor'],
  replies: ['responses'],
  run: ['execute'],
  stopSequences: ['stop'],
  token: ['auth'],
}

/**
 * Refuses settings that nothing reads: not everybody has a compiler. `nested` has the names that belong into a field of the settings,
 * by that field, so that the message can say where a setting goes that stands a level too high. Values that are undefined pass.
 * @throws {TypeError} a setting is not known; names it, and the one that was probably meant
 * @example
 * ```ts
 * import { checkSettings } from '@modelport/core/settings'
 *
 * checkSettings('createStore', { file: 'runs.sqlite' }, ['file', 'leaseMs']) // { leasems: 1 } throws: did you mean "leaseMs"?
 * ```
 */
export function checkSettings(
  where: string,
  given: object,
  known: readonly string[],
  nested: Readonly<Record<string, readonly string[]>> = {},
): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || known.includes(name)) continue
    const all = [...known, ...Object.values(nested).flat()]
    const replacements = Object.hasOwn(aliases, name) ? aliases[name] : undefined
    const near = replacements?.find((path) => all.includes(headOf(path))) ?? nearest(name, all)
    const field =
      near !== undefined &&
      !known.includes(headOf(near)) &&
      Object.entries(nested).find(([, names]) => names.includes(headOf(near)))?.[0]
    const hint = field ? `; set ${field}.${near}` : near === undefined ? '' : `; did you mean "${near}"?`
    throw new TypeError(`${where}: unknown setting "${name}"${hint || `; known: ${known.join(', ')}`}`)
  }
}

/** The setting in which a path begins. */
const headOf = (path: string): string => path.split('.', 1)[0] ?? path

/** Letters to add, drop, change or swap with their neighbour. Texts are cut at 64 letters. */
function editDistance(left: string, right: string): number {
  const [a, b] = [left.slice(0, 64), right.slice(0, 64)]
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity
      const changed = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed, swapped))
    }
    before = previous
    previous = row
  }
  return previous[b.length] ?? 0
}
