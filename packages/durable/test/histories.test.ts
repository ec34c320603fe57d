// Histories that nobody wrote: a cluster in one thread, and an auditor that knows nothing of it.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import { cases } from './histories/cases.js'
import { historyOf } from './histories/history.js'
import { knownDefects, newIn } from './histories/known.js'
import { mistakes } from './histories/mistakes.js'
import { moves } from './histories/moves.js'
import { mutations } from './histories/mutations.js'
import { play, readable } from './histories/play.js'
import { expectedIn, rareIn } from './histories/rare.js'

/** Many histories, and each computes all the time: on a machine with other work they take long. */
const many = { timeout: 7_200_000 }

test(
  'no history pays twice, loses a task, or leaves somebody with a wrong answer',
  many,
  async () => {
    const met = new Set<string>()
    for (let seed = 1; seed <= atSize(16, 1000); seed++) {
      const history = historyOf(seed, moves)
      const verdict = await play(history)
      for (const name of verdict.met.keys()) met.add(name)
      const again = `pnpm run durable histories -- --one --shrink --seed ${seed}`
      expect(newIn(verdict.wrong, history), `${again}\n${readable(history)}`).toEqual([])
    }
    // A move that never comes tests nothing.
    for (const name of [
      'kill',
      'freeze',
      'sending: loses the reply',
      'sending: hangs',
      'said: approve',
      'said: happened',
    ])
      expect([...met]).toContain(name)
    const exchanges = [...met].filter((name) => name.startsWith('exchange: '))
    expect(exchanges.length).toBeGreaterThan(4)
  },
)

test('a history is the same each time it is played', async () => {
  const history = historyOf(6, moves)
  const first = await play(history)
  const second = await play(history)
  expect(second.trace).toEqual(first.trace)
  expect(second.events).toBe(first.events)
})

test('a lost reply that counts as a failure is found within ten histories', async () => {
  const mistake = mistakes['P0: a broken connection is a failure of the call']
  const wrong: string[] = []
  for (let seed = 1; seed <= 10 && wrong.length === 0; seed++)
    wrong.push(...(await play(historyOf(seed, moves), mistake)).wrong)
  expect(wrong.join()).toMatch(/was paid 2 times|failed, and it was paid/)
})

test('a run whose histories hardly ever meet a move, a pair or an outcome says which', () => {
  const met = new Map(expectedIn(1000).map(({ name, least }) => [name, least]))
  expect(rareIn(met, 1000)).toEqual([])

  for (const name of ['kill', 'pair: decide > decide', 'sending: hangs', 'moment: work ends']) {
    const least = met.get(name) ?? 0
    expect(rareIn(new Map([...met, [name, least - 1]]), 1000)).toEqual([
      { name, least, count: least - 1 },
    ])
  }
})

for (const [title, history] of Object.entries(cases))
  test(`the auditor finds nothing wrong: ${title}`, async () => {
    expect((await play(history)).wrong).toEqual([])
  })

for (const { what, history, matches } of knownDefects)
  test(`known, and not mended yet: ${what}`, async () => {
    const { wrong } = await play(history)
    expect(wrong.some((each) => matches(each, history))).toBe(true)
  })

test('each mutation changes a text that its file has once', () => {
  const packages = new URL('../../', import.meta.url)
  for (const { name, changes } of mutations)
    for (const [file, find] of changes) {
      const text = readFileSync(new URL(file, packages), 'utf8')
      expect(text.split(find), `${name}: ${file}`).toHaveLength(2)
    }
})
