import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import {
  corpusCases,
  type CorpusCase,
  corpusFetch,
  type Cut,
  decodeCase,
  differences,
  largeCorpus,
  type Outcome,
} from './corpus.js'

interface CorpusSuite {
  readonly api: string
  /** The provider that decodes a case. */
  readonly provide: (recorded: CorpusCase, fetch: Fetch) => Provider
  /** Leaves cases of the API out. */
  readonly only?: (recorded: CorpusCase) => boolean
  /** Changes what the corpus responds with, for an exchange of several requests. */
  readonly respond?: (recorded: CorpusCase, fetch: ReturnType<typeof corpusFetch>) => Fetch
  /** Reads an outcome in the terms of the corpus. */
  readonly read?: (recorded: CorpusCase, outcome: Outcome) => Outcome
  /** Ids of cases of the large corpus that say otherwise, with the reason why we differ. */
  readonly differs?: Readonly<Record<string, string>>
}

/** The large corpus is cut more often: it is run on request. */
const seeds = largeCorpus === undefined ? 3 : 20

/**
 * The tests of every provider over the corpus: each exchange is decoded exactly, with one request, and the same at every cut of its
 * bytes. A case of the large corpus that is not strict may differ, if `differs` says why.
 */
export function testCorpus(title: string, suite: CorpusSuite): void {
  const all = corpusCases(suite.api).filter((recorded) => suite.only?.(recorded) ?? true)
  const core = new Set(corpusCases(suite.api, { core: true }).map(({ id }) => id))

  const decode = async (recorded: CorpusCase, cut: Cut): Promise<{ outcome: Outcome; requests: number }> => {
    const fetch = corpusFetch(recorded, cut)
    const provider = suite.provide(recorded, suite.respond?.(recorded, fetch) ?? fetch)
    const outcome = await decodeCase(recorded, provider)
    return { outcome: suite.read?.(recorded, outcome) ?? outcome, requests: fetch.requests }
  }
  const decodeAll = async (cases: readonly CorpusCase[], check: (recorded: CorpusCase) => Promise<string[]>) => {
    const failed: string[] = []
    for (const recorded of cases) {
      const found = await check(recorded)
      if (found.length) failed.push(`${recorded.id}: ${found.join('; ')}`)
    }
    return failed
  }
  const cutsOf = (recorded: CorpusCase): readonly Cut[] => [
    ...Array.from({ length: seeds }, (_, seed) => ({ seed: seed + 1 })),
    ...(core.has(recorded.id) ? (['byte'] as const) : []),
  ]

  describe(title, () => {
    test('every exchange is decoded exactly, by one request', async () => {
      const strict = all.filter((recorded) => recorded.strict)
      expect(
        await decodeAll(strict, async (recorded) => {
          const { outcome, requests } = await decode(recorded, 'whole')
          return [...differences(recorded, outcome), ...(requests === 1 ? [] : [`${requests} requests`])]
        }),
      ).toEqual([])
    }, 120_000)

    test('every exchange is decoded the same at every cut of its bytes', async () => {
      expect(
        await decodeAll(all, async (recorded) => {
          const whole = JSON.stringify((await decode(recorded, 'whole')).outcome)
          for (const cut of cutsOf(recorded))
            if (JSON.stringify((await decode(recorded, cut)).outcome) !== whole) return [JSON.stringify(cut)]
          return []
        }),
      ).toEqual([])
    }, 600_000)

    test('an exchange whose meaning is arguable differs only for a known reason', async () => {
      const loose = all.filter((recorded) => !recorded.strict)
      const differing: string[] = []
      for (const recorded of loose) {
        const found = differences(recorded, (await decode(recorded, 'whole')).outcome)
        const reason = suite.differs?.[recorded.id]
        if (found.length && !reason) differing.push(`${recorded.id}: ${found.join('; ')}`)
        if (!found.length && reason) differing.push(`${recorded.id}: does not differ any more`)
      }
      expect(differing).toEqual([])
    }, 60_000)
  })
}
