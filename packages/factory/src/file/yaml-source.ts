import { errorText } from '@modelport/core/text'
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from 'yaml'
import { ConfigFileError, type ConfigIssue, formatPath } from './config-error.js'

/** A YAML text with the position of each of its values. */
export interface YamlSource {
  /** The text as plain values. */
  readonly value: unknown
  /**
   * An issue at a value, or at the parent of a missing value. With `key`, it is at the name of that
   * field of the value.
   */
  issueAt(path: readonly (string | number | symbol)[], message: string, key?: string): ConfigIssue
}

/** Maximum characters of a file. */
const maxLength = 262_144
/** Maximum anchors and aliases together. Resolving them takes quadratic time. */
const maxAnchors = 100
/** Maximum fields of all values together. Finding duplicates takes quadratic time. */
const maxFields = 10_000
/** Maximum nesting of lists and fields. The parser is recursive. */
const maxDepth = 100
/** Maximum spaces before a line: eight for each level. */
const maxIndentation = maxDepth * 8
/** Maximum mistakes that are reported. A small text can have a hundred thousand. */
const maxMistakes = 10

/**
 * Reads a YAML text.
 * @throws {ConfigFileError} it is not YAML, has a field twice, or is too long, too deep or too
 * expensive to read.
 */
export function parseYaml(text: string, file: string): YamlSource {
  const errorAfter = (textBefore: string, message: string): ConfigFileError => {
    const lines = textBefore.split('\n')
    const column = (lines.at(-1) ?? '').length + 1
    return new ConfigFileError([{ file, line: lines.length, column, path: '', message }])
  }

  if (text.length > maxLength)
    throw errorAfter(
      '',
      `the file has ${text.length} characters, expected at most ${maxLength}; check that it is the right file`,
    )
  const bomb = findBomb(text)
  if (bomb) throw errorAfter(text.slice(0, bomb.offset), bomb.message)

  const lineCounter = new LineCounter()
  let document: Document
  try {
    document = parseDocument(text, { lineCounter, prettyErrors: false })
  } catch (error) {
    throw errorAfter('', `this YAML cannot be read: ${errorText(error)}`)
  }

  const positionOf = (offset: number): { line: number; column: number } => {
    const { line, col } = lineCounter.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  if (document.errors.length) {
    throw new ConfigFileError(
      document.errors.slice(0, maxMistakes).map(({ message, pos }) => ({
        file,
        ...positionOf(pos[0]),
        path: '',
        message: `this is not YAML: ${message}`,
      })),
    )
  }

  // A missing value has no place, so its nearest parent that is there is looked for.
  const offsetOf = (path: readonly PropertyKey[], key: string | undefined): number => {
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = length ? document.getIn(path.slice(0, length), true) : document.contents
      if (isNode(node)) return (keyNodeOf(node, key) ?? node).range?.[0] ?? 0
    }
    return 0
  }

  let value: unknown
  try {
    value = document.toJS()
  } catch (error) {
    throw errorAfter('', `this YAML cannot be read: ${errorText(error)}`)
  }

  return {
    value,
    issueAt: (path, message, key) => ({
      file,
      ...positionOf(offsetOf(path, key)),
      path: formatPath(key === undefined ? path : [...path, key]),
      message,
    }),
  }
}

/** The name of a field; undefined if the node has no such field. */
function keyNodeOf(node: Node, key: string | undefined): Scalar | undefined {
  if (key === undefined || !isMap(node)) return undefined
  return node.items
    .map((pair) => pair.key)
    .find((one): one is Scalar => isScalar(one) && one.value === key)
}

/**
 * Control tokens that the lexer adds to those of the text: the start of a document, brackets that
 * end too early, the start of a scalar.
 */
const isMark = (token: string): boolean =>
  token === '\u0002' || token === '\u0018' || token === '\u001f'

/**
 * Finds the first token that makes a small text expensive to parse. Brackets, indentation and the
 * block indicators of one line, such as `- - -`, all nest.
 */
function findBomb(text: string): { readonly message: string; readonly offset: number } | undefined {
  let offset = 0
  let anchors = 0
  let fields = 0
  let brackets = 0
  let indicators = 0
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
    else if (/^[-?:]$/.test(token) && !brackets) indicators++
    else if (token.includes('\n')) indicators = 0
    const isIndentedTooFar = /^ +$/.test(token) && token.length > maxIndentation
    if (Math.max(brackets, indicators) > maxDepth || isIndentedTooFar)
      return {
        message: `the file has values nested deeper than ${maxDepth}; write them flatter`,
        offset,
      }
    if (!isMark(token)) offset += token.length
  }
  return undefined
}
