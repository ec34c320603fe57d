import MiniSearch from 'minisearch'
import { describe, expect, test } from 'vitest'
import { WordIndex } from '../src/tools/word-index.js'

const words =
  'invoice invoices contract employee parcel meeting server serve service inventory create delete list update date time user Users repository issue pull request search find order payment pay paid refund customer email calendar event weather city temperature file état naïve'.split(
    ' ',
  )

/** Numbers that are the same in each run of the test. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff
    return state % below
  }
}

/** The names that MiniSearch finds, in its order. */
function expected(items: readonly Item[], query: string): readonly string[] {
  const oracle = new MiniSearch({
    idField: 'name',
    fields: ['name', 'description', 'parameters'],
  })
  oracle.addAll(items)
  return oracle
    .search(query, { prefix: true, fuzzy: 0.2, boost: { name: 2 } })
    .map(({ id }: { readonly id: string }) => id)
}

interface Item {
  readonly name: string
  readonly description: string
  readonly parameters: string
}

function found(items: readonly Item[], query: string): readonly string[] {
  const index = new WordIndex([2, 1, 1])
  for (const { name, description, parameters } of items) index.add([name, description, parameters])
  return index.search(query).map((at) => items[at]?.name ?? '')
}

describe('the index of words', () => {
  test('a search finds what MiniSearch finds, in the same order, in 100 random lists of tools', () => {
    const below = numbers(7)
    const phrase = (most: number): string =>
      Array.from({ length: 1 + below(most) }, () => words[below(words.length)]).join(
        [' ', '_', '-', ', '][below(4)],
      )
    for (let world = 0; world < 100; world++) {
      const items = Array.from({ length: 1 + below(60) }, (_, at) => ({
        name: `${phrase(2)}_${at}`,
        description: phrase(8),
        parameters: phrase(3),
      }))
      for (let asked = 0; asked < 5; asked++) {
        const whole = phrase(4)
        const query = [whole, whole.slice(0, -1), whole.replace('i', 'l')][below(3)] ?? whole
        expect(found(items, query), query).toEqual(expected(items, query))
      }
    }
  })

  test('a search finds nothing for an empty query, nor without items', () => {
    const item = { name: 'list_invoice', description: 'Lists invoices', parameters: '' }
    expect(found([item], ' - ')).toEqual([])
    expect(found([], 'invoice')).toEqual([])
  })
})
