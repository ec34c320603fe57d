// Prints the table of options as a page of the documentation.
import { apis } from './apis.js'
import type { OptionRow } from './option-rows.js'
import { unsaid } from './option-rows.js'
import type { OptionOutcome } from './run-options.js'

/** A row with what became of it, by column. */
export interface OptionResult {
  readonly row: OptionRow
  readonly outcomes: readonly OptionOutcome[]
}

/** Gives each reason a number, in order of appearance. */
class Reasons {
  readonly known: string[] = []

  numberOf(reason: string): number {
    const at = this.known.indexOf(reason)
    return at < 0 ? this.known.push(reason) : at + 1
  }
}

function cellOf({ covers }: OptionRow, outcome: OptionOutcome, reasons: Reasons): string {
  switch (outcome.kind) {
    case 'sent':
      return outcome.warning ? `✓ ${reasons.numberOf(outcome.warning)}` : '✓'
    case 'unsaid':
      return `~ ${reasons.numberOf(outcome.warning ? `a warning: ${outcome.warning}` : (unsaid.find(({ where }) => where === covers)?.why ?? 'no warning'))}`
    case 'refused':
      return `– ${reasons.numberOf(`\`${outcome.code}\`: ${outcome.why}`)}`
    case 'by-server':
      return `s ${reasons.numberOf(`the server, \`${outcome.code}\`: ${outcome.why}`)}`
    case 'broken':
      return `✗ ${reasons.numberOf(outcome.why)}`
  }
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** The page. `groups` are the results, by heading. */
export function toOptionsPage(groups: Readonly<Record<string, readonly OptionResult[]>>): string {
  const reasons = new Reasons()
  const tables = Object.entries(groups).flatMap(([heading, results]) => [
    `## ${heading}`,
    '',
    line(['', ...apis.map(({ head }) => head)]),
    line(['---', ...apis.map(() => '---')]),
    ...results.map(({ row, outcomes }) =>
      line([row.name, ...outcomes.map((outcome) => cellOf(row, outcome, reasons))]),
    ),
    '',
  ])
  return [
    '# The grid of options',
    '',
    'After reading this page you know what each call option, and each kind of content, does at each API.',
    '',
    'Each cell is one call of `generate` over HTTP, compared on the wire with the same call without the option. The columns are those of [the grid](grid.md); a test',
    'writes this page: change `test/grid`, not the page.',
    '',
    '`✓` the request says it, and the server replies · `~ 1` the request does not say it, for the reason 1 · `– 1` refused before anything is sent · `s 1` the server refuses it',
    '',
    ...tables,
    '## Reasons',
    '',
    ...reasons.known.map((reason, index) => `${index + 1}. ${reason}`),
    '',
  ].join('\n')
}
