/**
 * Estimates how many tokens a text costs, without a tokenizer, in one pass over its UTF-16 code units: by pairs of letters, changes
 * between kinds of characters, marks, and blocks of 16 code points for other scripts. It errs high, so that what fits a budget by the
 * estimate fits at the model too. `factor` multiplies the result, for tokenizers that cut finer.
 *
 * Against o200k_base on 18,888 documents of 150 bytes to 12 kB (60 languages and kinds of text): median error 9.8 %, 1.5 % of the
 * documents counted under, the worst by 16.6 %. Languages it was not fitted on are counted under more often than not.
 * `bench/token-estimate/errors.mjs` prints the table.
 *
 * @returns tokens, a whole number: 0 for an empty text, at least 1 for any other.
 */
export function estimateTokens(text: string, factor: number = 1): number {
  const blocks = (blockTable ??= unpackBlocks())
  let total = 0
  let kind = 3
  let code = 0
  let letter = 0
  let run = 0
  for (let at = 0; at < text.length; at++) {
    const previous = kind
    const last = code
    const pair = letter * 29 - 30
    code = text.charCodeAt(at)
    const folded = code | 32
    const block = blocks[code >> 4] ?? 0
    letter = code > 126 ? (block < 30 ? block : 0) : folded > 96 && folded < 123 ? code & 31 : 0
    kind = letter ? 0 : code > 126 ? 5 : code > 47 && code < 58 ? 1 : code > 32 ? 4 : code > 31 ? 2 : code > 8 && code < 14 ? 3 : 5
    run = kind === previous ? run + 1 : 0
    if (!kind && !previous && (code > 90 || last < 91)) {
      total += pairCost(pair + letter)
      if (code < 91) total += upper
    } else if (kind === 1 ? run % 3 === 0 : kind < 5 || !run) {
      total += valueAt(transitions, previous * 6 + kind)
      if (kind === 4 && code !== last) total += valueAt(marks, code - 33)
    }
    if (kind > 4) total += block - 30
    if (!kind && run > 32) total += long
  }
  const tokens = total * unit
  return Math.ceil((tokens + Math.sqrt(tokens) / 2) * factor)
}

/** Tokens per unit of the tables, with the margin that keeps undercounts rare. */
const unit = 0.05270
/** Units for each letter after 32 in a row: base64, keys and hashes. */
const long = 2
/** Units for a capital after a capital. */
const upper = 2
const pairs = '.(.((((..+((**(.)0/+(.0)(-...)-).,(,).(*0,*()((..*+*++0)/((()(+/(/+(+()(.(.(..*+0(.//.*+0*.-)-(.*+0*0(-.0./+.*))0/0.+(((0.((/(/)(0(/.0..0.0.'
  + '-.000-0*)-/000--*/+)*(*(**.+/(0..(,*(0*.*(*-(/*0(.)(,(()*.)-,.(((+)))((.+)((/).(0)0(+*((0)0*000000000.*00...((..)(((*-.,+0+*(--/(/(+*(0(((*('
  + '.)+*(,..,.))(,*((/.(/-0.(0.//-0.0/00*0+*0*/*0.(/,0--(/./0.-./*(*0/..*0-0*..(.)0*/)(/.0000.*0+0.,0-(*0.-,*)/0((*0)((*/(,-00*.(+**.0)0((0.*0*.'
  + '.'
const transitions = '790I11@;6K8@0B)7/+4/.1+=1:10)20<0>.,'
const marks = '2--22<-2--22(-(((((((((((7(2(222((((((((((((((((((((((((((2A2A--(((((((((((((((((((((((((((-2('
const runs = '3/+(<)2S.)*>.1(;(?(0(-+A-/.:*/-1*D(-)1(e)9*7*-Ij/0/1/4?1/57275?P/5/0YRYR+R/7YeUe7*7S*7YUYU(U7>Yd-d/0Yf=f+G36YfYfYfYfYfYfYfYfYf5fY;Y;Y;Y;Y;Y;'
  + 'Y;Y;Y;Y;3;Y>Y>Y>1>Y7Y7Y7Q7YO5OY8Y8Y8Y8Y8M8YPUPYgYgYgIgY6Y6Y6Y6Y6Y6Y6Y6Y6Y6Y6Y6Y6Y676YS1SYF5FYfYfYfYfYfYfYfYfYfEfGB'

let blockTable: Uint8Array | undefined

const valueAt = (table: string, at: number): number => table.charCodeAt(at) - 40
const pairCost = (pair: number): number => {
  const both = valueAt(pairs, pair >> 1)
  return (pair & 1 ? both % 3 : both / 3 | 0) * 10
}
const unpackBlocks = (): Uint8Array => {
  const table = new Uint8Array(4096)
  let block = 0
  for (let at = 0; at < runs.length; at += 2) table.fill(valueAt(runs, at + 1) + 27, block, (block += valueAt(runs, at) + 1))
  return table
}
