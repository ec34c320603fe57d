import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import {
  type CorpusCase,
  type Cut,
  corpusCases,
  corpusFetch,
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
  /** How many cases of the large corpus that are not strict may differ: they are printed. */
  readonly mostDiffer?: number
}

/** The large corpus is cut more often: it is run on request. */
const seeds = largeCorpus === undefined ? 3 : 20

/**
 * The tests of every provider over the corpus: each exchange is decoded exactly, with one request,
 * and the same at every cut of its bytes. Of the large corpus, a few cases that are not strict may
 * differ.
 */
export function testCorpus(title: string, suite: CorpusSuite): void {
  const all = corpusCases(suite.api).filter((recorded) => suite.only?.(recorded) ?? true)
  const core = new Set(corpusCases(suite.api, { core: true }).map(({ id }) => id))

  const decode = async (
    recorded: CorpusCase,
    cut: Cut,
  ): Promise<{ outcome: Outcome; requests: number }> => {
    const fetch = corpusFetch(recorded, cut)
    const provider = suite.provide(recorded, suite.respond?.(recorded, fetch) ?? fetch)
    const outcome = await decodeCase(recorded, provider)
    return { outcome: suite.read?.(recorded, outcome) ?? outcome, requests: fetch.requests }
  }
  const decodeAll = async (
    cases: readonly CorpusCase[],
    check: (recorded: CorpusCase) => Promise<string[]>,
  ) => {
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
          return [
            ...differences(recorded, outcome),
            ...(requests === 1 ? [] : [`${requests} requests`]),
          ]
        }),
      ).toEqual([])
    }, 120_000)

    test('every exchange is decoded the same at every cut of its bytes', async () => {
      expect(
        await decodeAll(all, async (recorded) => {
          const whole = JSON.stringify((await decode(recorded, 'whole')).outcome)
          for (const cut of cutsOf(recorded))
            if (JSON.stringify((await decode(recorded, cut)).outcome) !== whole)
              return [JSON.stringify(cut)]
          return []
        }),
      ).toEqual([])
    }, 600_000)

    test('an exchange whose meaning is arguable is decoded as its file says', async () => {
      const loose = all.filter((recorded) => !recorded.strict)
      const differing = await decodeAll(loose, async (recorded) =>
        differences(recorded, (await decode(recorded, 'whole')).outcome),
      )
      if (largeCorpus === undefined) expect(differing).toEqual([])
      else {
        console.log(
          `${differing.length} of ${loose.length} arguable cases differ\n  ${differing.join('\n  ')}`,
        )
        expect(differing.length).toBeLessThanOrEqual(suite.mostDiffer ?? 0)
      }
    })
  })
}
