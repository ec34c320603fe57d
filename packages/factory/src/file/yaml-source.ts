import { errorText } from '@modelport/core/text'
import { type Document, isMap, isNode, isScalar, Lexer, LineCounter, parseDocument } from 'yaml'
import { ConfigFileError, type ConfigIssue, formatPath } from './config-error.js'

/** A YAML text with the position of each of its values. */
export interface YamlSource {
  /** The text as plain values. */
  readonly value: unknown
  /**
   * An issue at a value, or at the parent of a missing value. `key` points at the name of a field
   * in it.
   */
  issueAt(path: readonly (string | number | symbol)[], message: string, key?: string): ConfigIssue
}

/** Maximum characters of a file. */
const maxLength = 262_144
/** Maximum anchors and aliases together. Resolving them takes the square of it. */
const maxAnchors = 100
/**
 * Maximum fields of all values together. Finding those that are there twice takes the square of it.
 */
const maxFields = 10_000
/** Maximum nesting of lists and fields. The parser calls itself for each. */
const maxDepth = 100
/** Maximum mistakes that are reported. A small text can have a hundred thousand. */
const maxMistakes = 10

/**
 * Reads a YAML text.
 * @throws {ConfigFileError} it is not YAML, has a field twice, or is too long, too deep or too
 * expensive to read.
 */
export function parseYaml(text: string, file: string): YamlSource {
  const fail = (message: string, before = ''): ConfigFileError => {
    const lines = before.split('\n')
    const column = (lines.at(-1) ?? '').length + 1
    return new ConfigFileError([{ file, line: lines.length, column, path: '', message }])
  }
  if (text.length > maxLength)
    throw fail(
      `the file has ${text.length} characters, expected at most ${maxLength}; check that it is the right file`,
    )
  const bomb = findBomb(text)
  if (bomb) throw fail(bomb.message, text.slice(0, bomb.offset))
  const lines = new LineCounter()
  let document: Document
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  } catch (error) {
    throw fail(`this YAML cannot be read: ${errorText(error)}`)
  }
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  if (document.errors.length) {
    throw new ConfigFileError(
      document.errors.slice(0, maxMistakes).map(({ message, pos }) => ({
        file,
        ...at(pos[0]),
        path: '',
        message: `this is not YAML: ${message}`,
      })),
    )
  }
  const offsetOf = (path: readonly PropertyKey[], key: string | undefined): number => {
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = length ? document.getIn(path.slice(0, length), true) : document.contents
      if (!isNode(node)) continue
      const keyNode =
        key !== undefined && isMap(node)
          ? node.items.map((pair) => pair.key).find((one) => isScalar(one) && one.value === key)
          : undefined
      return (isNode(keyNode) ? keyNode : node).range?.[0] ?? 0
    }
    return 0
  }
  let value: unknown
  try {
    value = document.toJS()
  } catch (error) {
    throw fail(`this YAML cannot be read: ${errorText(error)}`)
  }
  return {
    value,
    issueAt: (path, message, key) => ({
      file,
      ...at(offsetOf(path, key)),
      path: formatPath(key === undefined ? path : [...path, key]),
      message,
    }),
  }
}

/**
 * Marks of the lexer that are not characters of the text: a document, the end of brackets by a
 * mistake, a scalar.
 */
const isMark = (token: string): boolean =>
  token === '\u0002' || token === '\u0018' || token === '\u001f'

/**
 * Finds the first token that makes a small text expensive. Indentation and `- - -` nest, and so do
 * brackets.
 */
function findBomb(text: string): { readonly message: string; readonly offset: number } | undefined {
  let offset = 0
  let anchors = 0
  let fields = 0
  let brackets = 0
  let dashes = 0
  for (const token of new Lexer().lex(text)) {
    if (/^[&*]/.test(token) && ++anchors > maxAnchors)
      return {
        message: `the file has more than ${maxAnchors} anchors and aliases; write the values out`,
        offset,
      }
    if (/^[:?,]$/.test(token) && ++fields > maxFields)
      return {
        message: `the file has more than ${maxFields} fields; check that it is the right file`,
        offset,
      }
    if (/^[[{]$/.test(token)) brackets++
    else if (/^[\]}]$/.test(token)) brackets--
    else if (/^[-?:]$/.test(token) && !brackets) dashes++
    else if (token.includes('\n')) dashes = 0
    if (
      Math.max(brackets, dashes) > maxDepth ||
      (/^ +$/.test(token) && token.length > maxDepth * 8)
    )
      return {
        message: `the file has values nested deeper than ${maxDepth}; write them flatter`,
        offset,
      }
    if (!isMark(token)) offset += token.length
  }
  return undefined
}
