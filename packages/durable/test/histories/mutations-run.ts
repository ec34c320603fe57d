// Plays histories with one mutation of the sources after the other. Each has the sources and the
// cluster anew: their addresses end with its number. Prints a line of JSON for each history, and
// for each mutation.
//   mutations-run.ts FROM MOST INDEX…
import '../../../../scripts/sources.mjs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Mutation, mutations } from './mutations.js'

const [, , from = '0', most = '300', ...indexes] = process.argv
const packages = fileURLToPath(new URL('../../../', import.meta.url))
const mark = '?mutation='

let current: { readonly index: string; readonly mutation: Mutation } | undefined
/** Changes that no file had. */
const missing = new Set<Mutation['changes'][number]>()

registerHooks({
  resolve(specifier, context, next) {
    const [parentURL] = context.parentURL?.split(mark) ?? []
    const resolved = next(specifier, { ...context, ...(parentURL && { parentURL }) })
    const isSource = resolved.url.startsWith('file:') && resolved.url.endsWith('.ts')
    return current && isSource && fileURLToPath(resolved.url).startsWith(packages)
      ? { ...resolved, url: `${resolved.url}${mark}${current.index}` }
      : resolved
  },
  load(url, context, next) {
    const loaded = next(url, context)
    const [file = ''] = url.split(mark)
    const changes = current?.mutation.changes.filter(([end]) => file.endsWith(`/packages/${end}`))
    if (!changes?.length) return loaded

    let text = Buffer.from(loaded.source as Uint8Array).toString()
    for (const change of changes) {
      const [end, find, put] = change
      if (text.split(find).length !== 2) throw new Error(`${end} does not have once: ${find}`)
      text = text.replace(find, () => put)
      missing.delete(change)
    }
    return { ...loaded, source: text }
  },
})

/** The program without a mutation. */
const plain = {
  ...(await import('./history.js')),
  ...(await import('./moves.js')),
  ...(await import('./play.js')),
}
const { historyOf, moves } = plain
const seeds = Array.from({ length: Number(most) }, (_, at) => at + 1).slice(Number(from))
const say = (line: object): unknown => console.log(JSON.stringify(line))

for (const index of indexes) {
  const mutation = mutations[Number(index)]!
  current = { index, mutation }
  for (const change of mutation.changes) missing.add(change)
  const own = (name: string): string => `${name}${mark}${index}`
  const changed = {
    ...((await import(own('./history.ts'))) as typeof import('./history.js')),
    ...((await import(own('./moves.ts'))) as typeof import('./moves.js')),
    ...((await import(own('./play.ts'))) as typeof import('./play.js')),
  }
  for (const [file] of missing) throw new Error(`${file} was not loaded`)

  let wrong: readonly string[] = []
  let played = Number(from)
  for (const seed of seeds) {
    played++
    ;({ wrong } = await changed.play(changed.historyOf(seed, changed.moves)))
    // A history that goes wrong anyhow says nothing of the mutation.
    if (wrong.length > 0 && (await plain.play(historyOf(seed, moves))).wrong.length > 0) wrong = []
    if (wrong.length > 0) break
    say({ index, played })
  }
  say({ index, played, wrong: wrong.slice(0, 3) })
}
process.exit(0)
