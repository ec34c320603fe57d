// Prints the grid as a page of the documentation.
import { apis } from './apis.js'
import type { Door } from './door.js'
import { type Exception, exceptionOf } from './exceptions.js'

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Gives each reason a letter, in order of appearance. */
class Reasons {
  readonly #known: string[] = []

  letterOf({ why, refused, broken }: Exception): string {
    const text =
      broken !== undefined
        ? `${why}; not right yet: ${broken}`
        : refused
          ? `\`${refused}\`: ${why}`
          : why
    const known = this.#known.indexOf(text)
    return letters[known < 0 ? this.#known.push(text) - 1 : known] ?? '?'
  }

  lines(): readonly string[] {
    return this.#known.map((text, index) => `- **${letters[index] ?? '?'}** ${text}`)
  }
}

function cellOf(door: Door, head: string, reasons: Reasons): string {
  const exception = exceptionOf(door, head)
  if (!exception) return '✓'
  const letter = reasons.letterOf(exception)
  if (exception.broken !== undefined) return `✗ ${letter}`
  return exception.refused === undefined
    ? `✓ ${exception.requests ?? door.requests} ${letter}`
    : `– ${letter}`
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function tableOf(doors: readonly Door[], reasons: Reasons): readonly string[] {
  return [
    row(['', 'requests', ...apis.map(({ head }) => head)]),
    row(['---', '--:', ...apis.map(() => '---')]),
    ...doors.map((door) =>
      row([
        door.name,
        String(door.requests),
        ...apis.map(({ head }) => cellOf(door, head, reasons)),
      ]),
    ),
  ]
}

/** The page. `groups` are the rows, by heading. */
export function toPage(groups: Readonly<Record<string, readonly Door[]>>): string {
  const reasons = new Reasons()
  const tables = Object.entries(groups).flatMap(([heading, doors]) => [
    `## ${heading}`,
    '',
    ...tableOf(doors, reasons),
    '',
  ])
  const count = Object.values(groups).flat().length * apis.length
  const own = apis.filter(({ needsKey }) => !needsKey).map(({ head }) => `\`${head}\``)
  return [
    '# The grid',
    '',
    'After reading this page you know which function works with which API, and what it does where an API cannot do what is asked.',
    '',
    `\`npm test -- workspace grid\` runs each of the ${count} cells over HTTP, against a server that speaks the API and refuses what its vendor refuses, and`,
    'compares what a user sees: text, object, what a tool did, usage and the number of requests. It also writes this page: change `test/grid`, not the page.',
    'What each option does is on [a page of its own](grid-options.md).',
    '',
    row(['column', 'what it is']),
    row(['---', '---']),
    ...apis.map(({ head, title }) => row([`\`${head}\``, title])),
    '',
    '`✓` works, with the requests of the row · `✓ 3 a` works, with three requests, for the reason a · `– a` refused with a typed error, for the reason a ·',
    '`✗ a` does not work yet.',
    '',
    ...tables,
    '## Reasons',
    '',
    ...reasons.lines(),
    '',
    '## Without a key',
    '',
    `The columns ${own.join(', ')} are servers of one's own. Each of their cells runs with and without a key, and does`,
    'the same; without one no request has a header for it. At the vendors, creating a provider without a key fails with the code `config`, and nothing is',
    'sent. A wrong key is `auth`, after one request.',
    '',
  ].join('\n')
}
