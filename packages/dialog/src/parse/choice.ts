import { configError } from '@modelport/core'
import { type Parser, problem, quote } from './parser.js'

/**
 * Accepts one of these words and nothing else. Case, surrounding quotes and marks of punctuation do
 * not count.
 * @throws {LlmError} `config` — there is no choice, or two choices differ only in what does not
 * count.
 * @example
 * ```ts
 * import { choice } from '@modelport/dialog'
 *
 * console.log(await choice(['yes', 'no']).read(' Yes. '))
 * ```
 *
 * ```text
 * { ok: true, value: 'yes' }
 * ```
 */
export function choice<const Choice extends string>(choices: readonly Choice[]): Parser<Choice> {
  const byWord = new Map(choices.map((one) => [normalize(one), one]))
  if (!choices.length) throw configError('choice: give at least one choice')
  if (byWord.size < choices.length)
    throw configError(`choice: two of ${choices.join(', ')} differ only in case or punctuation`)
  return {
    shape: { kind: 'choice', choices },
    read: (text) => {
      const found = byWord.get(normalize(text))
      return found === undefined
        ? problem(`expected one of ${choices.join(', ')}, found ${quote(text.trim())}`)
        : { ok: true, value: found }
    },
  }
}

const edge = /[\s"'`*.,:;!?()[\]]/

/** The word without case and without what surrounds it. */
function normalize(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && edge.test(text.charAt(start))) start++
  while (end > start && edge.test(text.charAt(end - 1))) end--
  return (start < end ? text.slice(start, end) : text.trim()).toLowerCase()
}
