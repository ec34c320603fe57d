// Which fields of the wire reach a caller. For each distinct path of an API in the recorded
// exchanges one leaf is altered: if nothing that a caller can see changes, the path must be listed
// in support/ignored-wire-fields.ts, with the reason.
import { describe, expect, test } from 'vitest'
import { type CorpusCase, corpusCases, corpusFetch, isCut, largeCorpus } from './support/corpus.js'
import { providerOf, visible } from './support/corpus-providers.js'
import { ignoredWireFields } from './support/ignored-wire-fields.js'
import { leavesIn, nameOf, type Path, recordsOf } from './support/wire-paths.js'

/** Tries per path: a field may matter in some places only, for example in the last chunk. */
const mostTries = 12

interface Leaf {
  readonly recorded: CorpusCase
  /** Index of the record in the body. */
  readonly record: number
  readonly path: Path
}

/** Another value of the same type. */
const altered = (value: unknown): unknown =>
  typeof value === 'string'
    ? `${value}~`
    : typeof value === 'number'
      ? value + 1
      : typeof value === 'boolean'
        ? !value
        : 'altered'

function withAltered(value: unknown, path: Path): unknown {
  const [step, ...rest] = path
  if (step === undefined) return altered(value)
  const copy = (
    Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }
  ) as Record<string | number, unknown>
  copy[step] = withAltered(copy[step], rest)
  return copy
}

const seen = async (recorded: CorpusCase, body: string): Promise<string> => {
  const changed = { ...recorded, response: { ...recorded.response, body } }
  try {
    const found = JSON.stringify(
      await visible(providerOf(changed, corpusFetch(changed, 'whole')), recorded.streaming),
    )
    // An error counts the bytes before it.
    return found.replace(/"bytes":\d+/, '')
  } catch (error) {
    return String(error)
  }
}

/** Samples of the leaves of each distinct path: the first, and the latest of several exchanges. */
function leavesByName(cases: readonly CorpusCase[]): Map<string, Leaf[]> {
  const found = new Map<string, Leaf[]>()
  for (const recorded of cases) {
    // The error of a stream that was cut off counts its bytes.
    if (recorded.response.status !== 200 || isCut(recorded)) continue
    const last = new Map<string, Leaf>()
    recordsOf(recorded).values.forEach((value, record) => {
      for (const path of leavesIn(value)) {
        const name = nameOf(path)
        if (!found.has(name)) found.set(name, [{ recorded, record, path }])
        last.set(name, { recorded, record, path })
      }
    })
    for (const [name, leaf] of last) {
      const leaves = found.get(name) ?? []
      if (leaves.length < mostTries) leaves.push(leaf)
    }
  }
  return found
}

/** An exchange as it is, read once for all of its leaves. */
const readings = new WeakMap<
  CorpusCase,
  ReturnType<typeof recordsOf> & { readonly unchanged: Promise<string> }
>()
function readingOf(recorded: CorpusCase) {
  let reading = readings.get(recorded)
  if (!reading) {
    const records = recordsOf(recorded)
    reading = { ...records, unchanged: seen(recorded, records.join(records.values)) }
    readings.set(recorded, reading)
  }
  return reading
}

const reaches = async ({ recorded, record, path }: Leaf): Promise<boolean> => {
  const { values, join, unchanged } = readingOf(recorded)
  const changed = [...values]
  changed[record] = withAltered(changed[record], path)
  return (await unchanged) !== (await seen(recorded, join(changed)))
}

async function unseenPaths(cases: readonly CorpusCase[]): Promise<string[]> {
  const unseen: string[] = []
  for (const [name, leaves] of leavesByName(cases)) {
    let used = false
    for (const leaf of leaves) if (!used) used = await reaches(leaf)
    if (!used) unseen.push(name)
  }
  return unseen.sort()
}

describe('every field of a recorded reply reaches the caller or is ignored for a reason', () => {
  test.each(Object.entries(ignoredWireFields))(
    'every field of a recorded reply of %s reaches the caller or is ignored for a reason',
    async (api, ignored) => {
      const unseen = await unseenPaths(corpusCases(api))
      const isIgnored = (name: string): boolean => ignored.some(([pattern]) => pattern.test(name))
      expect(unseen.filter((name) => !isIgnored(name))).toEqual([])
      // Another corpus may lack an exchange that a row is about.
      if (largeCorpus !== undefined) return
      const idle = ignored.filter(([pattern]) => !unseen.some((name) => pattern.test(name)))
      expect(idle.map(([pattern]) => pattern.source)).toEqual([])
    },
  )
})
