import { Marked, type Token } from 'marked'
import { describe, expect, test } from 'vitest'
import { BlockReader } from '../src/page/parts/markdown-blocks.js'
import { maths } from '../src/page/parts/markdown-maths.js'

const marked = new Marked(maths)

const texts = [
  '# Title\n\nA paragraph with **bold**\nover two lines.\n\n- one\n- two\n\n  more of two\n\n    - nested\n- [x] three\n\nAfter.\n',
  'para\n#not a heading\nstill\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n\n> quote\n> more\n\n```ts\nlet x = `**`\n\n# no\n```\nend',
  'Setext\n---\n\n1. one\n\n   ```\n   code\n   ```\n2. two\n\n***\n<b>html</b>\n\ntext\n1.5 is a number\n- item',
  'A formula:\n\n$$\na \\\\ b\n- c_1 *d* _e_\n\n= f\n$$\n\nand $x_1*y*z_2$ in a line, \\(a\\,b\\) too, for $5 and $6.\n\n\\[\nnot ended\n- yet',
  'a\r\n\r\nb **c\r\nd** `e`\r\n\r\n    indented\r\n\r\n    more\r\n\r\nlast',
]

const html = (tokens: readonly Token[]): string => marked.parser(tokens as Token[])

describe('Markdown by blocks', () => {
  test.each(texts)(
    'the blocks of a growing text end as the whole text is drawn, whatever its pieces: %j',
    (text) => {
      const whole = html(marked.lexer(text).filter(({ type }) => type !== 'space'))
      for (const size of [1, 2, 3, 7, 50]) {
        const reader = new BlockReader()
        let finished: readonly Token[] = []
        for (let end = size; end < text.length; end += size) {
          const tokens = reader.read(text.slice(0, end), false)
          expect(tokens.slice(0, finished.length), 'a finished block has changed').toEqual(finished)
          finished = tokens.slice(0, reader.finished)
        }
        const tokens = reader.read(text, true)
        expect(tokens.slice(0, finished.length)).toEqual(finished)
        expect(html(tokens)).toBe(whole)
      }
    },
  )

  test('the newest block is drawn without the marks of an emphasis, code or link whose end has not arrived', () => {
    const drawn = (text: string): string => html(new BlockReader().read(text, false)).trim()
    expect(drawn('so **bo')).toBe('<p>so <strong>bo</strong></p>')
    expect(drawn('so **')).toBe('<p>so </p>')
    expect(drawn('run `ls -')).toBe('<p>run <code>ls -</code></p>')
    expect(drawn('see [the page](https://exa')).toBe('<p>see the page</p>')
    expect(drawn('```ts\nlet x = `a')).toContain('let x = `a')
  })

  test('a reader of blocks does not read a long unfinished block at each delta', () => {
    const reader = new BlockReader()
    const read = (length: number): string => html(reader.read('w'.repeat(length), false))
    expect(read(40_000)).toHaveLength(40_000 + '<p></p>\n'.length)
    expect(read(40_001)).toHaveLength(40_000 + '<p></p>\n'.length)
    expect(read(50_000)).toHaveLength(50_000 + '<p></p>\n'.length)
  })
})

test.each([
  ['$x_1 + y_1$', '<code>$x_1 + y_1$</code>'],
  ['\\(x\\,dx\\)', '<code>\\(x\\,dx\\)</code>'],
  ['\\[a \\\\[2pt] b\\]', '<code>\\[a \\\\[2pt] b\\]</code>'],
  ['$$\na < b \\\\\n* c\n$$', '<pre><code>$$\na &lt; b \\\\\n* c\n$$</code></pre>'],
  ['from $5 to $6 or $7-$8', '<p>from $5 to $6 or $7-$8</p>'],
  ['**bold** \\$ and \\*', '<p><strong>bold</strong> $ and *</p>'],
])('a formula stays as it was written, and a price is not one: %j', (text, shown) => {
  const drawn = html(new BlockReader().read(text, true)).trim()
  expect(drawn.includes('<p>') && !shown.startsWith('<p>') ? drawn.slice(3, -4) : drawn).toBe(shown)
})

test.each(['$', '\\(', '\\[', '$$', '$a ', '\\(a', '$$\n', '\\[\n', '*a* ', 'a\n\n'])(
  'a text of many marks of formulas takes linear time: %j',
  (mark) => {
    // With quadratic time the limit of a test would be passed.
    const text = mark.repeat(30_000)
    expect(html(new BlockReader().read(text, true)).length).toBeGreaterThan(text.length / 2)
  },
)
