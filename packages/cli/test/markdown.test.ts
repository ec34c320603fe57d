import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { MarkdownView } from '../src/terminal/markdown.js'
import { Printer } from '../src/terminal/printer.js'

function render(
  pieces: readonly string[],
  environment: Readonly<Record<string, string>> = { NO_COLOR: '1' },
  columns = 80,
): string {
  let shown = ''
  const output = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      shown += String(chunk)
      callback()
    },
  })
  const view = new MarkdownView(
    new Printer(Object.assign(output, { isTTY: true, columns }), (name) => environment[name]),
  )
  for (const piece of pieces) view.write(piece)
  view.end()
  return shown
}

const document = `# Title

First **bold** and \`code\`.
Second line with *stress*.

- one
- two
  - inner

1. first
2. second

\`\`\`js
let a = 1

b()
\`\`\`

> quoted
> twice

See [docs](https://docs.example/x) and https://raw.example/ .

| a | b |
|---|---|
| 1 | 2 |

---

The end.
`

describe('Markdown', () => {
  test('Markdown is shown as a person reads it', async () => {
    await expect(render([document])).toMatchFileSnapshot('screens/markdown.txt')
  })

  test('Markdown is the same in any pieces', () => {
    const whole = render([document])
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 }),
        (sizes) => {
          const pieces: string[] = []
          for (let start = 0, turn = 0; start < document.length; turn++) {
            const end = start + (sizes[turn % sizes.length] ?? 1)
            pieces.push(document.slice(start, end))
            start = end
          }
          expect(render(pieces)).toBe(whole)
        },
      ),
      { numRuns: 100 },
    )
  })

  const part = fc.constantFrom(
    'word',
    '**',
    '*',
    '`',
    '\n',
    '\n\n',
    '- ',
    '# ',
    '> ',
    '[a](b)',
    '1. ',
    '```\n',
    '|',
    ' ',
    '~~',
    '_',
    '![',
    '](',
    ')',
    '---\n',
    '|-|\n',
    '\\',
  )

  test('Markdown loses no word, and shows the same in any pieces, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join('')
        const shown = render([text])
        expect(shown.split('word').length).toBe(text.split('word').length)
        expect(render(parts)).toBe(shown)
        expect(render(Array.from(text))).toBe(shown)
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    'use *args and **kwargs',
    'snake_case_name',
    '2 * 3 * 4',
    'a ` b',
    '[not a link]',
    '~~~ no',
  ])('Markdown shows marks that mark nothing: %s', (text) => {
    expect(render([text])).toBe(`${text}\n`)
  })

  test('Markdown shows words at once, but for those of a span', () => {
    let shown = ''
    const output = new Writable({
      write: (chunk: Buffer, _encoding, callback) => {
        shown += String(chunk)
        callback()
      },
    })
    const view = new MarkdownView(new Printer(Object.assign(output, { isTTY: true }), () => '1'))
    view.write('Some words ')
    expect(shown).toBe('Some words ')
    view.write('and **str')
    expect(shown).toBe('Some words and ')
    view.write('ong** ')
    expect(shown).toBe('Some words and strong ')
  })

  // By the square of its length each of these texts would take minutes.
  test.each(['*', '_', '`', '[', '**a ', '> ', '~', '`a', '|', '|a\n'])(
    'Markdown takes time in proportion to the text: %j',
    (text) => {
      expect(render([text.repeat(120_000 / text.length)]).length).toBeGreaterThan(20_000)
    },
  )

  test('a link shows where it leads, unless its text does', () => {
    expect(render(['[bank.example](https://evil.example/)'])).toBe(
      'bank.example (https://evil.example/)\n',
    )
    expect(render(['https://a.example/ '])).toBe('https://a.example/ \n')
  })

  const table =
    '| City | `a|b` | Rain \\| snow |\n|:--|:-:|--:|\n| **Rome** | 東京 | 1 |\n| Oslo |\n'

  test('a table is aligned as it says, by the width of what is shown', () => {
    expect(render([`Now:\n\n${table}\nDone`])).toBe(
      [
        'Now:',
        '',
        'City │ a|b  │ Rain | snow',
        '─────┼──────┼────────────',
        'Rome │ 東京 │           1',
        'Oslo │      │',
        '',
        'Done',
        '',
      ].join('\n'),
    )
  })

  test('a table that is wider than the terminal wraps its widest columns; with too many columns it stays as it is', () => {
    const wide = '| a | b |\n|---|---|\n| short | some words that do not fit |\n'
    expect(render([wide], { NO_COLOR: '1' }, 24)).toBe(
      [
        'a     │ b',
        '──────┼────────────────',
        'short │ some words that',
        '      │ do not fit',
        '',
      ].join('\n'),
    )
    expect(render([wide], { NO_COLOR: '1' }, 8)).toBe(wide)
  })

  test('what only looks like a table is shown as it is', () => {
    for (const text of ['| a | b |\nc\n', '| a |\n| b |\n| c |\n', '|---|\n', 'a | b\n'])
      expect(render([text])).toBe(text)
  })

  test('code is shown without its fences, every line as it was', () => {
    expect(render(['```js\n  a()\n| b |\n```\nc\n'], {})).toBe(
      '\u001b[2mjs\u001b[22m\n\u001b[36m  a()\u001b[39m\n\u001b[36m| b |\u001b[39m\nc\n',
    )
  })

  test('Markdown has styles where there are colours', () => {
    expect(render(['**a** `b` '], {}).trim()).toBe('\u001b[1ma\u001b[22m \u001b[36mb\u001b[39m')
  })
})
