import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLineReader } from '../src/chat/line-reader.js'
import { nodeProblem } from '../src/node-version.js'
import { toVisible } from '../src/terminal/visible-text.js'

/** A terminal, and what was written to it. */
function terminal() {
  const written: string[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const stdout = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        written.push(String(chunk))
        done()
      },
    }),
    { isTTY: true, columns: 80 },
  )
  return { reader: createLineReader({ stdin, stdout, stderr: stdout }), stdin, written }
}

test('text that is pasted with its line ends is one message', async () => {
  const { reader, stdin, written } = terminal()
  const read = reader.read('> ')
  stdin.write('see: \u001b[200~first\rsecond\rthird\u001b[201~ end\r')
  expect(await read).toBe('see: first\nsecond\nthird end')
  expect(written.join('')).toContain('\u001b[?2004h')
  await expect.poll(() => written.join('')).toContain('\u001b[?2004l')
  const next = reader.read('> ')
  stdin.write('next\r')
  expect(await next).toBe('next')
})

test('a line that ends with a backslash continues on the next one', async () => {
  const { reader, stdin } = terminal()
  const read = reader.read('> ')
  stdin.write('one\\\r')
  stdin.write('two\r')
  expect(await read).toBe('one\ntwo')
})

test('letters of any script stay readable, and what could hide or reorder text is escaped', () => {
  expect(toVisible('{"city":"São Paulo 東京 ✓"}')).toBe('{"city":"São Paulo 東京 ✓"}')
  expect(toVisible('a\u202eb\u200bc\u001b[2J\u00a0d')).toBe('a\\u202eb\\u200bc\\u001b[2J\\u00a0d')
  expect(JSON.parse(toVisible(JSON.stringify({ a: '\u{e0041}\ud83d\ude00\ud800' })))).toEqual({
    a: '\u{e0041}\ud83d\ude00\ud800',
  })
})

test.each([
  ['22.19.0', undefined],
  ['24.0.0', undefined],
  ['22.18.9', 'needs Node 22.19 or newer'],
  ['18.20.0', 'and this is 18.20.0'],
])('Node %s is judged before anything else is loaded', (version, message) => {
  if (message === undefined) expect(nodeProblem(version)).toBeUndefined()
  else expect(nodeProblem(version)).toContain(message)
})
