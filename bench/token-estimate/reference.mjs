// The tokenizer the estimator is measured by: o200k_base.
import { encode } from 'gpt-tokenizer/encoding/o200k_base'

const countTokens = (text) => encode(text, { disallowedSpecial: new Set() }).length

/** The documents with their reference count. */
export const counted = (documents) =>
  documents.map((document) => ({ ...document, tokens: countTokens(document.text) }))

/**
 * The weight of every 16 code points whose script no text was fitted on: tokens of single
 * characters, averaged over 256 code points. Surrogates come in pairs of 2 + 1.
 */
export const fallbackWeights = () => {
  const single = Array.from({ length: 4096 }, (_, block) => {
    const characters = Array.from({ length: 16 }, (_, at) =>
      String.fromCharCode(block * 16 + at),
    ).filter((character) => !/\p{Cn}|\p{Co}|\p{Cs}/u.test(character))
    return characters.length > 0
      ? characters.reduce((total, character) => total + countTokens(character), 0) /
          characters.length
      : 0
  })
  return single.map((_, block) => {
    if (block >= 0xd80 && block < 0xe00) return block < 0xdc0 ? 2 : 1
    const zone = single.slice(block & ~15, (block & ~15) + 16).filter((weight) => weight > 0)
    return zone.length > 0 ? Math.round((2 * zone.reduce((a, b) => a + b)) / zone.length) / 2 : 3
  })
}
