import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { completeLine } from '../src/chat/complete-line.js'
import { InputHistory } from '../src/chat/input-history.js'
import { createLineReader, type TypingAids } from '../src/context/line-reader.js'
import { ConfiguredModels } from '../src/models/configured-models.js'
import { nodeProblem } from '../src/node-version.js'
import { toVisible } from '../src/terminal/visible-text.js'

/** Timers are virtual from here to the end of the test; streams are not. */
const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
afterEach(() => {
  vi.useRealTimers()
})

/** Lets the keys that were written arrive, then so much time pass. */
async function pass(ms: number): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(ms)
}

/** A terminal, and what was written to it. */
function terminal(aids: TypingAids = {}) {
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
  return { reader: createLineReader({ stdin, stdout, stderr: stdout }, aids), stdin, written }
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

test('Ctrl-C takes away what was typed, and ends at an empty prompt', async () => {
  const { reader, stdin } = terminal()
  const read = reader.read('> ')
  stdin.write('half a mess\u001b[D\u001b[D\u0003')
  stdin.write('begun\\\r\u0003')
  stdin.write('whole\r')
  expect(await read).toBe('whole')
  const ended = reader.read('> ')
  stdin.write('x\u0003\u0003')
  await expect(ended).rejects.toThrow('interrupted')
})

test('Up brings back a pasted message whole, what earlier chats said, and no answer to a question', async () => {
  stopClock()
  const { reader, stdin } = terminal({ history: ['earlier\nlines', 'earliest'] })
  const up = '\u001b[A'
  const read = async (keys: string): Promise<string | undefined> => {
    const line = reader.read('> ')
    stdin.write(keys)
    return line
  }
  expect(await read(`${up}\r`)).toBe('earlier\nlines')
  expect(await read('\u001b[200~one\rtwo\u001b[201~\r')).toBe('one\ntwo')
  const answer = reader.answer('sure? ')
  await pass(500)
  stdin.write('y\r')
  expect(await answer).toBe('y')
  expect(await read(`${up}!\r`)).toBe('one\ntwo!')
  expect(await read(`${up}${up}${up}${up}\r`)).toBe('earliest')
})

test('keys of the first half second do not answer, and are kept for what is read next', async () => {
  stopClock()
  const { reader, stdin } = terminal()
  const answered = reader.answer('sure? ')
  await pass(250)
  stdin.write('y\ry')
  await pass(250)
  stdin.write('\r')
  expect(await answered).toBe('')
  expect(await reader.read('> ')).toBe('y')
  const next = reader.read('> ')
  stdin.write('es\r')
  expect(await next).toBe('yes')
})

test('Tab completes commands, models and files at once, whatever keys follow it; a tab that is pasted is text', async () => {
  const folder = temporaryFolder('tab')
  mkdirSync(join(folder, 'pictures'))
  writeFileSync(join(folder, 'pictures/cat.png'), '')
  const file = { file: 'config.yaml', context: {} }
  const pool = {
    models: [
      { name: 'main', provider: 'mock' },
      { name: 'mini', provider: 'mock' },
    ],
    roles: {},
  }
  const models = new ConfiguredModels(file.file, pool, file.context)
  expect(completeLine('/mo', models)).toEqual(['/model'])
  expect(completeLine('/model m', models)).toEqual(['/model main', '/model mini'])
  expect(completeLine(`/image ${folder}/pic`, models)).toEqual([`/image ${folder}/pictures/`])
  expect(completeLine(`/image ${folder}/pictures/`, models)).toEqual([
    `/image ${folder}/pictures/cat.png`,
  ])
  for (const text of ['plain', '/usage x', '/image /nowhere/x'])
    expect(completeLine(text, models)).toEqual([])
  const { reader, stdin } = terminal({ complete: (line) => completeLine(line, models) })
  const read = reader.read('> ')
  // All of it at once, as when it was typed during a reply.
  stdin.write('/mo\t mi\t\r')
  expect(await read).toBe('/model mini')
  const next = reader.read('> ')
  stdin.write('next\r')
  expect(await next).toBe('next')
  const ended = reader.read('> ')
  stdin.write('\t\u0004')
  expect(await ended).toBeUndefined()
  const pasted = reader.read('> ')
  stdin.write('\u001b[200~/mo\tx\u001b[201~\r')
  expect(await pasted).toBe('/mo\tx')
})

test('keys that are held show nothing, and are read next; Ctrl-C keeps them, Ctrl-D ends after them', async () => {
  stopClock()
  const { reader, stdin, written } = terminal()
  let interrupts = 0
  const release = reader.hold(() => interrupts++)
  stdin.write('one\rtwo\\\rlines\r\u0003thr')
  const answered = reader.answer('sure? ')
  await pass(500)
  stdin.write('y\r')
  expect(await answered).toBe('y')
  expect(written.join('')).not.toMatch(/one|two|thr/)
  release()
  expect([await reader.read('> '), await reader.read('> '), interrupts]).toEqual([
    'one',
    'two\nlines',
    1,
  ])
  const third = reader.read('> ')
  stdin.write('ee\r')
  expect(await third).toBe('three')
  const again = reader.hold(() => undefined)
  stdin.write('last\r\u0004')
  again()
  expect([await reader.read('> '), await reader.read('> ')]).toEqual(['last', undefined])
})

test('the history is a file for its owner, without secrets, and keeps the latest', async () => {
  const path = join(temporaryFolder('history'), 'state/history')
  const history = await InputHistory.open(path)
  await history.add('first', [])
  await history.add('my key is sk-0123456789\nok', ['sk-0123456789'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect((await InputHistory.open(path)).entries).toEqual([
    expect.stringMatching(/^my key is .*\nok$/),
    'first',
  ])
  expect(readFileSync(path, 'utf8')).not.toContain('sk-0123456789')
  writeFileSync(
    path,
    `damaged\n${Array.from({ length: 500 }, (_, index) => `"${index}"\n`).join('')}`,
  )
  const { entries } = await InputHistory.open(path)
  expect([entries.length, entries[0], entries.at(-1)]).toEqual([200, '499', '300'])
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(201)
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
