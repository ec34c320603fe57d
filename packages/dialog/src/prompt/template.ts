import { LlmError } from '@modelport/core'
import type { TemplateValue } from './placeholders.js'

/** A text with the places of its placeholders. */
export interface Template {
  /** Texts and placeholder names by turns; the first and the last are texts. */
  readonly pieces: readonly string[]
  /** Each name once, in order of appearance. */
  readonly names: readonly string[]
}

/**
 * Reads a text with `{name}` placeholders, in one pass. `{{` and `}}` stand for braces.
 * @param where names the text in errors
 * @param firstLine the line of a file that the text begins at
 * @throws {LlmError} `config` — a brace is unmatched or what is in braces is not a name; the message has line and column.
 */
export function parseTemplate(text: string, where: string, firstLine: number = 1): Template {
  const pieces: string[] = []
  let piece = ''
  let from = 0
  const brace = /\{\{|\}\}|[{}]/g
  for (let match = brace.exec(text); match; match = brace.exec(text)) {
    piece += text.slice(from, match.index)
    if (match[0].length === 2) piece += match[0].charAt(0)
    else if (match[0] === '}')
      throw syntaxError(text, match.index, where, firstLine, 'a "}" closes nothing; write "}}" for a brace')
    else {
      const end = text.indexOf('}', match.index)
      const name = end < 0 ? '' : text.slice(match.index + 1, end)
      if (!/^[A-Za-z_]\w*$/.test(name)) {
        const found = text.slice(match.index, match.index + 20).split('\n', 1)[0] ?? ''
        const hint = 'write "{name}" for a placeholder and "{{" for a brace'
        throw syntaxError(text, match.index, where, firstLine, `${JSON.stringify(found)} is not a placeholder; ${hint}`)
      }
      pieces.push(piece, name)
      piece = ''
      brace.lastIndex = end + 1
    }
    from = brace.lastIndex
  }
  pieces.push(piece + text.slice(from))
  return { pieces, names: [...new Set(pieces.filter((_, index) => index % 2 === 1))] }
}

function syntaxError(text: string, at: number, where: string, firstLine: number, problem: string): LlmError {
  const before = text.slice(0, at).split('\n')
  const line = firstLine + before.length - 1
  return new LlmError('config', `${where}, line ${line}, column ${(before.at(-1) ?? '').length + 1}: ${problem}`)
}

/**
 * Fills a template. Values are never read as templates again.
 * @param extra values that are used where the template names them and ignored where it does not
 * @throws {LlmError} `invalid-request` — lists every missing value, unknown value and value of a wrong type.
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
  return pieces.map((piece, index) => (index % 2 ? String(valueOf(values, extra, piece)) : piece)).join('')
}

const valueOf = (
  values: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
  name: string,
): unknown => (Object.hasOwn(values, name) ? values[name] : Object.hasOwn(extra, name) ? extra[name] : undefined)

const listOf = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(', ') || 'none'

/** True for what a placeholder may be filled with. */
export const isTemplateValue = (value: unknown): value is TemplateValue =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

function describeValue(name: string, value: unknown): readonly string[] {
  if (value === undefined) return [`the placeholder {${name}} has no value`]
  if (isTemplateValue(value)) return []
  const found =
    value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value === 'number' ? String(value) : typeof value
  return [`the value of {${name}} must be a text, a finite number or a boolean, not ${found}`]
}
