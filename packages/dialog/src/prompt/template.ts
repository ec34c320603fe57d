import { configError, LlmError } from '@modelport/core'
import type { TemplateValue } from './placeholders.js'
import type { PromptFileProblem } from './prompt-file-error.js'

/** A text with the places of its placeholders. */
export interface Template {
  /** Texts and placeholder names by turns; the first and the last are texts. */
  readonly pieces: readonly string[]
  /** Each name once, in order of appearance. */
  readonly names: readonly string[]
}

/** What is wrong with a text, and where: line and column of the text, from 1. */
export type TemplateProblem = Required<PromptFileProblem>

/**
 * Reads a text with `{name}` placeholders, in one pass. `{{` and `}}` stand for braces.
 * @param where names the text in errors
 * @throws {LlmError} `config` — a brace is unmatched or what is in braces is not a name; the
 * message has line and column.
 */
export function parseTemplate(text: string, where: string): Template {
  const { template, problems } = scanTemplate(text)
  const [first] = problems
  if (first)
    throw configError(`${where}, line ${first.line}, column ${first.column}: ${first.message}`)
  return template
}

/** Reads a text with placeholders, and continues after a problem. */
export function scanTemplate(text: string): {
  readonly template: Template
  readonly problems: readonly TemplateProblem[]
} {
  const pieces: string[] = []
  const problems: TemplateProblem[] = []
  let piece = ''
  let from = 0
  const problemAt = placesIn(text)
  // Looked for once, and again only behind it: a text may have many open braces and no other.
  let closing = -1
  const brace = /\{\{|\}\}|[{}]/g
  for (let match = brace.exec(text); match; match = brace.exec(text)) {
    piece += text.slice(from, match.index)
    if (match[0].length === 2) piece += match[0].charAt(0)
    else if (match[0] === '}')
      problems.push(problemAt(match.index, 'a "}" closes nothing; write "}}" for a brace'))
    else {
      if (closing < match.index) closing = nextIndex(text, '}', match.index)
      const end = closing === text.length ? -1 : closing
      const name = end < 0 ? '' : text.slice(match.index + 1, end)
      if (/^[A-Za-z_]\w*$/.test(name)) {
        pieces.push(piece, name)
        piece = ''
      } else {
        const found = text.slice(match.index, match.index + 20).split('\n', 1)[0] ?? ''
        const hint = 'write "{name}" for a placeholder and "{{" for a brace'
        problems.push(
          problemAt(match.index, `${JSON.stringify(found)} is not a placeholder; ${hint}`),
        )
      }
      // The closing brace of another line is a mistake of its own.
      if (end >= 0 && !text.slice(match.index, end).includes('\n')) brace.lastIndex = end + 1
    }
    from = brace.lastIndex
  }
  pieces.push(piece + text.slice(from))
  return {
    template: { pieces, names: [...new Set(pieces.filter((_, index) => index % 2 === 1))] },
    problems,
  }
}

/** The index of a text after a place; the length if it is not found. */
function nextIndex(text: string, wanted: string, from: number): number {
  const index = text.indexOf(wanted, from)
  return index < 0 ? text.length : index
}

/** Makes problems at ascending positions, so that lines are counted only once. */
function placesIn(text: string): (at: number, message: string) => TemplateProblem {
  let line = 1
  let start = 0
  let next = nextIndex(text, '\n', 0)
  return (at, message) => {
    for (; next < at; next = nextIndex(text, '\n', start)) {
      line++
      start = next + 1
    }
    return { line, column: at - start + 1, message }
  }
}

/**
 * Fills a template. Values are never read as templates again.
 * @param extra values that are used where the template names them and ignored where it does not
 * @throws {LlmError} `invalid-request` — lists every missing value, unknown value and value of a
 * wrong type.
 */
export function fillTemplate(
  template: Template,
  values: Readonly<Record<string, unknown>>,
  where: string,
  extra: Readonly<Record<string, unknown>> = {},
): string {
  const { pieces, names } = template
  const problems = [
    ...names.flatMap((name) => describeValue(name, valueOf(values, extra, name))),
    ...Object.keys(values)
      .filter((name) => !names.includes(name))
      .map((name) => `the value "${name}" has no placeholder; the text has ${listOf(names)}`),
  ]
  if (problems.length) throw new LlmError('invalid-request', `${where}: ${problems.join('; ')}`)
  return pieces
    .map((piece, index) => (index % 2 ? String(valueOf(values, extra, piece)) : piece))
    .join('')
}

const valueOf = (
  values: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
  name: string,
): unknown =>
  Object.hasOwn(values, name) ? values[name] : Object.hasOwn(extra, name) ? extra[name] : undefined

const listOf = (names: readonly string[]): string =>
  names.map((name) => `{${name}}`).join(', ') || 'none'

/** True for what a placeholder may be filled with. */
export const isTemplateValue = (value: unknown): value is TemplateValue =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value))

function describeValue(name: string, value: unknown): readonly string[] {
  if (value === undefined) return [`the placeholder {${name}} has no value`]
  if (isTemplateValue(value)) return []
  const found =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'a list'
        : typeof value === 'number'
          ? String(value)
          : typeof value
  return [`the value of {${name}} must be a text, a finite number or a boolean, not ${found}`]
}
