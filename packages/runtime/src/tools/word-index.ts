/** BM25+: how fast more of the same word stops to count, how much length does, and a floor. */
const bm25 = { saturation: 1.2, length: 0.7, floor: 0.5 }
/** What a word counts that begins with the one asked for, or is spelled nearly like it. */
const weights = { prefix: 0.375, spelling: 0.45 }
/** Edits that a word may need, as a share of its length. */
const mostEdits = 0.2

const separators = /[\n\r\p{Z}\p{P}]+/u

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(separators)
    .filter((word) => word !== '')

/** How often a word stands in a field, by the number of the item. */
type Places = Map<number, number>

interface Field {
  readonly boost: number
  readonly places: Map<string, Places>
  /** Different words of each item. */
  readonly lengths: number[]
  /** The mean of them. */
  average: number
}

/**
 * Finds items by a few words, the best first: by BM25+ over their fields, with words that begin
 * like those asked for, and with a misspelling or two. For some hundred short texts: each search
 * looks at every word.
 */
export class WordIndex {
  readonly #fields: readonly Field[]
  readonly #words = new Set<string>()

  /** @param boosts what a word in each field counts */
  constructor(boosts: readonly number[]) {
    this.#fields = boosts.map((boost) => ({ boost, places: new Map(), lengths: [], average: 0 }))
  }

  /** Adds an item: one text for each field. Items are numbered from 0. */
  add(texts: readonly string[]): void {
    for (const [at, field] of this.#fields.entries()) {
      const text = texts[at] ?? ''
      const item = field.lengths.length
      const length = new Set(text.split(separators)).size
      field.lengths.push(length)
      field.average = (field.average * item + length) / (item + 1)
      for (const word of wordsOf(text)) {
        this.#words.add(word)
        const places = field.places.get(word) ?? new Map<number, number>()
        places.set(item, (places.get(item) ?? 0) + 1)
        field.places.set(word, places)
      }
    }
  }

  /** The numbers of the items that fit, the best first. An item with more of the words wins. */
  search(query: string): readonly number[] {
    const found = new Map<number, { score: number; readonly asked: Set<string> }>()
    for (const asked of wordsOf(query))
      for (const [word, weight] of this.#like(asked))
        this.#score(word, weight, (item, score) => {
          const result = found.get(item) ?? { score: 0, asked: new Set() }
          result.score += score
          result.asked.add(asked)
          found.set(item, result)
        })
    return [...found]
      .map(([item, { score, asked }]) => [item, score * asked.size] as const)
      .sort(([, one], [, other]) => other - one)
      .map(([item]) => item)
  }

  /** The words that are like the one asked for, with what each counts: the word itself first. */
  #like(asked: string): readonly (readonly [word: string, weight: number])[] {
    const most = Math.round(asked.length * mostEdits)
    const like: [string, number][] = this.#words.has(asked) ? [[asked, 1]] : []
    const misspelled: [string, number][] = []
    for (const word of this.#words) {
      if (word === asked) continue
      const { length } = word
      if (word.startsWith(asked)) {
        const more = length - asked.length
        like.push([word, (weights.prefix * length) / (length + 0.3 * more)])
        continue
      }
      const edits = most && editsBetween(asked, word, most)
      if (edits && edits <= most)
        misspelled.push([word, (weights.spelling * length) / (length + edits)])
    }
    return [...like, ...misspelled]
  }

  #score(word: string, weight: number, take: (item: number, score: number) => void): void {
    for (const { boost, places, lengths, average } of this.#fields) {
      const items = places.get(word)
      if (!items) continue
      const rarity = Math.log(1 + (lengths.length - items.size + 0.5) / (items.size + 0.5))
      for (const [item, count] of items) {
        const share = (lengths[item] ?? 0) / average
        const damped = count + bm25.saturation * (1 - bm25.length + bm25.length * share)
        const score = rarity * (bm25.floor + (count * (bm25.saturation + 1)) / damped)
        take(item, weight * boost * score)
      }
    }
  }
}

/** The Levenshtein distance of two words, or a number above `most`. */
function editsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let before = Array.from({ length: one.length + 1 }, (_, at) => at)
  for (const [row, letter] of other.split('').entries()) {
    const now = [row + 1]
    for (let at = 0; at < one.length; at++)
      now.push(
        Math.min(
          (before[at] ?? 0) + (one[at] === letter ? 0 : 1),
          (before[at + 1] ?? 0) + 1,
          (now[at] ?? 0) + 1,
        ),
      )
    before = now
  }
  return before.at(-1) ?? 0
}
