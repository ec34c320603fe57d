// Finds regular expressions that can take quadratic time: two unbounded repetitions that can match
// the same text, with nothing between them that fixes where the first ends, before something that
// can fail. A pattern without an anchor counts as if it began with a repetition of any character,
// because the engine tries it at every position.
import { RegExpParser } from '@eslint-community/regexpp'

const MOST_PATHS = 4096
const ascii = Array.from({ length: 0x250 }, (_, code) => String.fromCodePoint(code))
const others = [...'\u2003\u2028\u3000\u4e2d\ufeff\ufffd\ue000']

const overlaps = (a, b) => [...a].some((char) => b.has(char))
const union = (sets) => new Set(sets.flatMap((set) => [...set]))
const isGroup = ({ type }) => type === 'Group' || type === 'CapturingGroup'

/**
 * The two repetitions of a pattern that can overlap, as source text, or undefined if matching takes
 * linear time. Sets of characters are compared over Latin text, a few other characters and those
 * that the pattern names. Throws if the pattern is invalid.
 */
export function findOverlap(source, flags = '') {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  const samples = new Set([...ascii, ...others, ...source])
  const all = new Set(samples)
  const matcherFlags = flags.replace(/[gyd]/g, '')
  const charsOf = (node) => {
    if (node.type === 'Backreference') return all
    const matcher = new RegExp(`^(?:${node.raw})$`, matcherFlags)
    return new Set([...samples].filter((char) => matcher.test(char)))
  }
  /** Every character that some part of a node matches. */
  const charsWithin = (node) => {
    if (isGroup(node) || node.type === 'Pattern')
      return union(node.alternatives.flatMap(({ elements }) => elements.map(charsWithin)))
    if (node.type === 'Quantifier') return charsWithin(node.element)
    return node.type === 'Assertion' ? new Set() : charsOf(node)
  }

  let nested
  const isOne = (element) =>
    element.type !== 'Assertion' && element.type !== 'Quantifier' && !isGroup(element)
  /**
   * An unbounded repetition inside another needs a character in each pass that it cannot match
   * itself.
   */
  const checkNested = (outer) => {
    for (const path of pathsOf(outer.element)) {
      for (const item of path) {
        if (item.kind !== 'many') continue
        const fixed = path.some(({ kind, chars }) => kind === 'one' && !overlaps(chars, item.chars))
        if (!fixed) nested ??= [item.raw, outer.raw]
      }
    }
  }
  const repetition = (node) => {
    checkNested(node)
    const chars = charsWithin(node.element)
    const many = { kind: 'many', chars, raw: node.raw }
    if (isOne(node.element)) return [[many]]
    const repeated = pathsOf(node.element).map(([first]) =>
      first?.kind === 'one' ? [first, many] : [many],
    )
    return node.min === 0 ? [[], ...repeated] : repeated
  }
  const assertion = (node) => {
    if (node.kind === 'start') return [[{ kind: 'start' }]]
    if (node.kind === 'end') return [[{ kind: 'end' }]]
    const [only, ...rest] = node.alternatives?.flatMap(({ elements }) => elements) ?? []
    if (node.kind === 'lookbehind' && only && rest.length === 0 && isOne(only)) {
      const chars = charsOf(only)
      return [
        [
          {
            kind: 'one',
            chars: node.negate ? new Set([...all].filter((char) => !chars.has(char))) : chars,
          },
        ],
      ]
    }
    if (node.kind === 'lookahead')
      return [[{ kind: 'ahead', paths: node.alternatives.flatMap(sequence) }]]
    return [[{ kind: 'check' }]]
  }
  function pathsOf(node) {
    if (isGroup(node) || node.type === 'Pattern') return node.alternatives.flatMap(sequence)
    if (node.type === 'Assertion') return assertion(node)
    if (node.type !== 'Quantifier') return [[{ kind: 'one', chars: charsOf(node) }]]
    if (node.max === Infinity) return repetition(node)
    return node.min === 0 ? [[], ...pathsOf(node.element)] : pathsOf(node.element)
  }
  function sequence({ elements }) {
    let paths = [[]]
    for (const element of elements) {
      const next = pathsOf(element)
      if (paths.length * next.length > MOST_PATHS)
        throw new RangeError(`/${source}/ has too many paths to check`)
      paths = paths.flatMap((path) => next.map((items) => [...path, ...items]))
    }
    return paths
  }

  const coversAll = (chars) => chars.size === all.size
  /** After a repetition that matches everything, the end of the text cannot fail. */
  const canFail = (rest, chars) =>
    rest.some(
      ({ kind }) =>
        kind === 'one' ||
        kind === 'check' ||
        kind === 'ahead' ||
        (kind === 'end' && !coversAll(chars)),
    )
  const overlapIn = (path) => {
    for (const [at, item] of path.entries()) {
      if (item.kind === 'ahead') {
        const inside = item.paths
          .map((inner) => overlapIn([...path.slice(0, at), ...inner]))
          .find(Boolean)
        if (inside) return inside
      }
      if (item.kind !== 'many' || !canFail(path.slice(at + 1), item.chars)) continue
      for (let from = at - 1; from >= 0 && path[from].kind !== 'start'; from--) {
        const first = path[from]
        if (first.kind !== 'many' || !overlaps(first.chars, item.chars)) continue
        const fixed = path
          .slice(from + 1, at)
          .some(
            ({ kind, chars }) =>
              kind === 'one' && !(overlaps(chars, first.chars) && overlaps(chars, item.chars)),
          )
        if (!fixed) return [first.raw, item.raw]
      }
    }
    return undefined
  }
  const anywhere = flags.includes('y')
    ? []
    : [{ kind: 'many', chars: all, raw: 'the search for its start' }]
  const found = pathsOf(pattern)
    .map((path) => overlapIn([...anywhere, ...path]))
    .find(Boolean)
  return nested ?? found
}
