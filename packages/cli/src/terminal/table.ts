import stringWidth from 'fast-string-width'
import { wrapAnsi } from 'fast-wrap-ansi'
import type { Style } from './printer.js'

/** How the parts of a table are written. */
export interface TableStyle {
  readonly columns: number
  /** The text of a cell, with its own marks rendered. */
  readonly cell: (text: string) => string
  readonly style: (style: Style, text: string) => string
}

const delimiter = /^\|(?: *:?-+:? *\|)* *:?-+:? *\|? *$/
const narrowest = 4
const gap = ' │ '

/** True if the line says where the columns of a table are aligned. */
export const isDelimiterRow = (line: string): boolean => delimiter.test(line.trim())

/**
 * The lines of a table, aligned and no wider than the terminal; undefined if the lines are not a
 * table, or it has too many columns.
 */
export function renderTable(
  lines: readonly string[],
  { columns, cell, style }: TableStyle,
): string[] | undefined {
  const [head = '', alignment = '', ...body] = lines
  if (!isDelimiterRow(alignment)) return undefined
  const sides = cellsOf(alignment).map((text) =>
    text.endsWith(':') ? (text.startsWith(':') ? 'center' : 'right') : 'left',
  )
  const given = [head, ...body].map(cellsOf)
  if (given[0]?.length !== sides.length || given.some((row) => row.length > sides.length))
    return undefined
  const rows = given.map((row) => sides.map((_, index) => cell(row[index] ?? '')))
  const natural = sides.map((_, index) =>
    Math.max(1, ...rows.map((row) => stringWidth(row[index] ?? ''))),
  )
  const widths = fit(natural, columns - 1 - gap.length * (sides.length - 1))
  if (!widths) return undefined
  const line = (row: readonly string[]): string[] => {
    const wrapped = row.map((text, index) =>
      wrapAnsi(text, widths[index] ?? 1, { hard: true }).split('\n'),
    )
    const height = Math.max(...wrapped.map(({ length }) => length))
    return Array.from({ length: height }, (_, at) =>
      wrapped
        .map((texts, index) => pad(texts[at] ?? '', widths[index] ?? 1, sides[index] ?? 'left'))
        .join(style('dim', gap))
        .trimEnd(),
    )
  }
  const [first = [], ...others] = rows
  return [
    ...line(first.map((text) => style('bold', text))),
    style('dim', widths.map((width) => '─'.repeat(width)).join('─┼─')),
    ...others.flatMap(line),
  ]
}

/** The cells of a row; a pipe inside of code or after a backslash belongs to the text. */
function cellsOf(line: string): string[] {
  const cells = ['']
  let inCode = false
  const text = line.trim().replace(/^\|/, '')
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (character === '`') inCode = !inCode
    if (character === '\\' && text[index + 1] === '|') {
      cells.push(`${cells.pop() ?? ''}|`)
      index++
    } else if (character === '|' && !inCode) cells.push('')
    else cells.push((cells.pop() ?? '') + character)
  }
  // What follows the last pipe is the end of the line.
  if (cells.length > 1 && !cells.at(-1)?.trim()) cells.pop()
  return cells.map((one) => one.trim())
}

/** Narrows the widest columns until all fit; undefined if they cannot. */
function fit(natural: readonly number[], room: number): number[] | undefined {
  const widths = [...natural]
  let sum = widths.reduce((total, width) => total + width, 0)
  while (sum > room) {
    const widest = widths.indexOf(Math.max(...widths))
    const width = widths[widest] ?? 0
    if (width <= narrowest) return undefined
    // Down to the next widest column, or by as much as is left.
    const next = Math.max(narrowest, ...widths.filter((one) => one < width))
    const less = Math.max(1, Math.min(width - next, sum - room))
    widths[widest] = width - less
    sum -= less
  }
  return widths
}

function pad(text: string, width: number, side: 'left' | 'right' | 'center'): string {
  const free = Math.max(0, width - stringWidth(text))
  const before = side === 'right' ? free : side === 'center' ? Math.floor(free / 2) : 0
  return ' '.repeat(before) + text + ' '.repeat(free - before)
}
