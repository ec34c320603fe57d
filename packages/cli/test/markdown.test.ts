import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { MarkdownView } from '../src/terminal/markdown.js'
import { Printer } from '../src/terminal/printer.js'
import { fc } from '../../../test/support/fast-check.js'

function render(pieces: readonly string[], environment: Readonly<Record<string, string>> = { NO_COLOR: '1' }): string {
  let shown = ''
  const output = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      shown += String(chunk)
      callback()
    },
  })
  const view = new MarkdownView(
    new Printer(Object.assign(output, { isTTY: true, columns: 80 }), (name) => environment[name]),
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
  test('as a person reads it', async () => {
    await expect(render([document])).toMatchFileSnapshot('screens/markdown.txt')
  })

  test('is the same in any pieces', () => {
    const whole = render([document])
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        const pieces: string[] = []
        for (let start = 0, turn = 0; start < document.length; turn++) {
          const end = start + (sizes[turn % sizes.length] ?? 1)
          pieces.push(document.slice(start, end))
          start = end
        }
        expect(render(pieces)).toBe(whole)
      }),
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
    '\\',
  )

  test('loses no word, and shows the same in any pieces, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const text = parts.join('')
        const shown = render([text])
        expect(shown.split('word').length).toBe(text.split('word').length)
        expect(render(parts)).toBe(shown)
        expect(render(Array.from(text))).toBe(shown)
      }),
      { numRuns: 2000 },
    )
  })

  test.each(['use *args and **kwargs', 'snake_case_name', '2 * 3 * 4', 'a ` b', '[not a link]', '~~~ no'])(
    'shows marks that mark nothing: %s',
    (text) => {
      expect(render([text])).toBe(`${text}\n`)
    },
  )

  test('shows words at once, but for those of a span', () => {
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
  test.each(['*', '_', '`', '[', '**a ', '> ', '~', '`a'])('takes time in proportion to the text: %j', (text) => {
    expect(render([text.repeat(250_000 / text.length)]).length).toBeGreaterThan(50_000)
  })

  test('a link shows where it leads, unless its text does', () => {
    expect(render(['[bank.example](https://evil.example/)'])).toBe('bank.example (https://evil.example/)\n')
    expect(render(['https://a.example/ '])).toBe('https://a.example/ \n')
  })

  test('has styles where there are colours', () => {
    expect(render(['**a** `b` '], {}).trim()).toBe('\u001b[1ma\u001b[22m \u001b[36mb\u001b[39m')
  })
})
