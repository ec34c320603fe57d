import { type Document, isMap, isNode, isScalar, Lexer, LineCounter, parseDocument } from 'yaml'
import { ConfigFileError, type ConfigIssue, formatPath } from './config-error.js'

/** A YAML text with the position of each of its values. */
export interface YamlSource {
  /** The text as plain values. */
  readonly value: unknown
  /** An issue at a value, or at the parent of a missing value. `key` points at the name of a field in it. */
  issueAt(path: readonly PropertyKey[], message: string, key?: string): ConfigIssue
}

/** Maximum characters of a file. */
const maxLength = 262_144
/** Maximum anchors and aliases together. Resolving them takes the square of it. */
const maxAnchors = 100
/** Maximum fields of all values together. Finding those that are there twice takes the square of it. */
const maxFields = 10_000

/** Reads a YAML text. @throws {ConfigFileError} it is not YAML, has a field twice, is too long, or has too many anchors. */
export function parseYaml(text: string, file: string): YamlSource {
  const fail = (message: string): ConfigFileError =>
    new ConfigFileError([{ file, line: 1, column: 1, path: '', message }])
  if (text.length > maxLength)
    throw fail(`the file has ${text.length} characters, expected at most ${maxLength}; check that it is the right file`)
  const { anchors, fields } = countMarks(text)
  if (anchors > maxAnchors) throw fail(`the file has more than ${maxAnchors} anchors and aliases; write the values out`)
  if (fields > maxFields) throw fail(`the file has more than ${maxFields} fields; check that it is the right file`)
  const lines = new LineCounter()
  let document: Document
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  } catch (error) {
    throw fail(`this YAML cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  if (document.errors.length) {
    throw new ConfigFileError(
      document.errors.map(({ message, pos }) => ({
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
      const found =
        key !== undefined && isMap(node)
          ? node.items.map((pair) => pair.key).find((one) => isScalar(one) && one.value === key)
          : undefined
      return (isNode(found) ? found : node).range?.[0] ?? 0
    }
    return 0
  }
  let value: unknown
  try {
    value = document.toJS()
  } catch (error) {
    throw fail(`this YAML cannot be read: ${error instanceof Error ? error.message : String(error)}`)
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

/** Counts tokens that are anchors or aliases, and those next to the name of a field, and stops above the limits. */
function countMarks(text: string): { readonly anchors: number; readonly fields: number } {
  let [anchors, fields] = [0, 0]
  for (const token of new Lexer().lex(text)) {
    if (/^[&*]/.test(token)) anchors++
    if (/^[:?,]$/.test(token)) fields++
    if (anchors > maxAnchors || fields > maxFields) break
  }
  return { anchors, fields }
}
