import { type Document, Lexer, LineCounter, parseDocument } from 'yaml'

/** Maximum characters. */
const maxLength = 262_144
/**
 * Maximum fields of all values together. Finding those that are there twice takes the square of it.
 */
const maxFields = 5_000
/** Maximum anchors and aliases together. Resolving them takes the square of it. */
const maxAnchors = 100
/** Maximum nesting of lists and settings; the parser calls itself for each. */
const maxDepth = 100
/** Maximum mistakes that are reported. A small text can have a hundred thousand. */
const maxMistakes = 10

/** A YAML document that was read. */
export interface ReadYaml {
  readonly document: Document.Parsed
  readonly lines: LineCounter
  /** The first mistakes, with line and column from 1. */
  readonly mistakes: readonly {
    readonly line: number
    readonly col: number
    readonly message: string
  }[]
}

/**
 * Reads a YAML text that may be hostile. Returns what is wrong with its size, before anything is
 * parsed.
 */
export function readYaml(text: string): ReadYaml | { readonly refused: string } {
  if (text.length > maxLength)
    return {
      refused: `${text.length} characters of YAML, expected at most ${maxLength}; check that it is the right file`,
    }
  const refused = findBomb(text)
  if (refused !== undefined) return { refused }
  const lines = new LineCounter()
  // Pretty errors copy the line of each mistake: work in the square of a long line.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const mistakes = document.errors
    .slice(0, maxMistakes)
    .map(({ pos: [offset], message }) => ({ ...lines.linePos(offset), message }))
  return { document, lines, mistakes }
}

/**
 * Counts the tokens that make a small text expensive, and stops above a limit. Indentation and
 * `- - -` nest, and so do brackets.
 */
function findBomb(text: string): string | undefined {
  let anchors = 0
  let brackets = 0
  let dashes = 0
  let fields = 0
  for (const token of new Lexer().lex(text)) {
    if (/^[&*]./.test(token) && ++anchors > maxAnchors)
      return `more than ${maxAnchors} anchors and aliases; write the values out`
    if (/^[:?,]$/.test(token) && ++fields > maxFields)
      return `more than ${maxFields} fields; check that it is the right file`
    if (token === '[' || token === '{') brackets++
    else if (token === ']' || token === '}') brackets--
    if (/^[-?:]$/.test(token) && !brackets) dashes++
    else if (token.includes('\n')) dashes = 0
    if (
      brackets > maxDepth ||
      dashes > maxDepth ||
      (/^ +$/.test(token) && token.length > maxDepth * 8)
    )
      return `values nested deeper than ${maxDepth}; write them flatter`
  }
  return undefined
}
