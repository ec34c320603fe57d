import { estimateTokens } from '@modelport/core'
import { expect, test } from 'vitest'

/**
 * What the tables and the rules say of twenty times each text, so that no change of either goes unseen: words, capitals, borders of
 * each kind of characters, runs, marks, other scripts. A new fit of the tables changes these numbers, and nothing else may.
 */
const values: readonly (readonly [string, number])[] = [
  ['a', 23], ['A', 24], ['Z', 24], ['z', 23], ['{', 2], ['`', 2], ['@', 3], ['[', 3], [' ', 2], ['  ', 4], ['\t', 10], ['\n\n', 19],
  ['\u0008\u0008', 14], ['\u001f', 8], ['\u007f\u007f', 14], ['\u0080\u0080', 14], ['0', 8], ['9:', 54], ['/0', 38], ['1234567', 50],
  ['!!!!', 6], ['!?!?', 39], ['ABCDef', 76], ['aBcD', 54], ['é', 13], ['éé', 25], ['aé', 2], ['éa', 2], ['日本語', 53], ['a日', 50],
  ['日a', 51], ['日1', 66], ['🙂🙂', 86], ['\ud800', 15], ['a'.repeat(33), 778], ['a'.repeat(34), 801], ['a'.repeat(60), 1411],
  ['\uffff\uffff', 62], ['x y z', 48], ['- - -', 47], ['f(x) => {};', 114], ['ńńńń', 94], ['αβγ', 23], ['АБВ', 66],
  ['a~', 21], ['~~', 3], ['a/', 21], ['a:', 37], ['8/', 38], ['9/', 38], ['\u000e', 8], ['\u000e\u000e', 14], ['\u0008a', 39],
  ['a\u0008', 38], ['\u000b', 10], ['\r', 10], ['\ra', 51], ['\t\t', 19], ['A[', 32], ['[A', 31], ['AZ', 27], ['Za', 20],
  ['aZ', 21], ['aAb', 34], ['AAa', 67], ['@A', 37], ['A@', 37], ['`a', 26], ['A{', 21], ['zz', 46], ['ZZ', 48], ['11', 16],
  ['111', 22], ['1111', 29], ['Éa', 2], ['!!', 4], ['!?', 21], ['ÿ ', 20], ['日 本', 49], ['ก', 14], ['กข', 25], ['한국', 27],
  ['\u2028', 13], ['€€', 95], ['1€', 93], [`${'x'.repeat(32)} `, 686], [`${'x'.repeat(33)} `, 707],
  [`${'x'.repeat(34)} `, 731], ['\n ', 22], [' \n', 23], ['1a', 46], ['a-', 26],
]

test.each(values)('%j, twenty times', (text, tokens) => {
  expect(estimateTokens(text.repeat(20))).toBe(tokens)
})
