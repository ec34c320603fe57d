import type { Api } from './bodies.ts'
import type { Goal } from './goals.ts'
import type { Regime } from './regimes.ts'
import { type Results, reference, type Variant } from './results.ts'
import type { Row } from './row.ts'
import { middleOf } from './spread.ts'

const safe = (text: string): string => text.replaceAll('|', '\\|')
const line = (cells: readonly string[]): string => `| ${cells.map(safe).join(' | ')} |`
const table = (head: readonly string[], body: readonly (readonly string[])[]): string[] => [
  line(head),
  `|---|${head
    .slice(1)
    .map(() => '---')
    .join('|')}|`,
  ...body.map(line),
]

/** Fewer rounds have no middle half. */
const fewestForSpread = 4

function spreadText(ratios: readonly number[]): string {
  const [from, to] = middleOf(ratios)
  return `; ${from.toFixed(2)} to ${to.toFixed(2)}`
}

/**
 * `1.06 (1.20; 1.11 to 1.32) · 3.4`: the columns' medians, the first with its ratio to the
 * reference and where the middle half of the rounds lies.
 */
function cellText(results: Results, regime: Regime, variant: Variant, row: string): string {
  const cell = results.find(regime.name, variant, row)
  if (!cell) return '–'
  if (cell.error) return cell.error
  const numbers = regime.columns.map(({ digits }, column) => {
    const value = results.value(regime.name, variant, row, column)
    return Number.isNaN(value)
      ? '–'
      : value.toLocaleString('en-US', {
          minimumFractionDigits: digits,
          maximumFractionDigits: digits,
        })
  })
  const ratio = results.ratio(regime.name, variant, row, reference)
  const ratios = results.ratios(regime.name, variant, row, reference)
  const spread = ratios.length < fewestForSpread || row === reference ? '' : spreadText(ratios)
  if (!Number.isNaN(ratio)) numbers[0] = `${numbers[0] ?? ''} (${ratio.toFixed(2)}${spread})`
  return numbers.join(' · ') + (cell.once ? ' once' : '') + (cell.note ? ' †' : '')
}

function notes(
  results: Results,
  regime: Regime,
  variants: readonly Variant[],
  rows: readonly Row[],
): string[] {
  const found = variants
    .flatMap((variant) =>
      rows.map(({ name }) => ({
        name,
        ...variant,
        note: results.find(regime.name, variant, name)?.note,
      })),
    )
    .filter(({ note }) => note)
  return found.map(({ name, api, note }) => `† ${name}, ${api}: ${note ?? ''}`)
}

/** One regime as a table: rows by APIs and sizes. */
export function regimeTable(
  results: Results,
  regime: Regime,
  apis: readonly Api[],
  rows: readonly Row[],
): string[] {
  const variants = apis.flatMap((api) => regime.sizes.map((size) => ({ api, size })))
  const shown = rows.filter(({ name }) =>
    variants.some((variant) => results.find(regime.name, variant, name)),
  )
  const head = variants.map(({ api, size }) =>
    regime.sizeName ? `${api}, ${regime.sizeName(size)}` : api,
  )
  const rounds =
    regime.run === 'sizes'
      ? ''
      : `, median of ${regime.rounds} rounds after ${regime.warmUps} of warm-up`
  const ratio =
    regime.run === 'sizes'
      ? ''
      : "; in parentheses the ratio to floor b, the median of the rounds' own ratios, and their middle half"
  const title = [
    `## ${regime.name}`,
    '',
    `${regime.title(regime)}. Cells: ${regime.columns.map((column) => column.head).join(' · ')}${rounds}${ratio}.`,
    '',
  ]
  const body = shown.map(({ name }) => [
    name,
    ...variants.map((variant) => cellText(results, regime, variant, name)),
  ])
  const below = notes(results, regime, variants, rows)
  return [
    ...title,
    ...table(['row', ...head], body),
    ...(below.length ? ['', ...below.flatMap((note) => [note, ''])] : []),
    '',
  ]
}

/** The goals, what was measured for each, and whether they are met. */
export function goalsTable(results: Results, goals: readonly Goal[]): string[] {
  const body = goals.map(({ goal, target, measured, met, digits = 2 }) => {
    const values = measured(results).filter(({ value }) => !Number.isNaN(value))
    const missed = values.filter(({ api, value }) => !met(value, api))
    const outcome =
      values.length === 0
        ? 'not measured'
        : missed.length === 0
          ? 'met'
          : `not met: ${missed.map(({ api }) => api).join(', ')}`
    return [
      goal,
      target,
      values.map(({ api, value }) => `${api} ${value.toFixed(digits)}`).join(', ') || '–',
      outcome,
    ]
  })
  return ['## Goals', '', ...table(['goal', 'target', 'measured', 'result'], body), '']
}
