import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command } from './test-io.js'
import { configOf, key } from './wire.js'

const usage = { inputTokens: 12, outputTokens: 5 }
const { home } = useModel({
  fields: 'purpose: tests',
  reply: () => ({ text: ['Plain text'], finish: 'stop', usage }),
})

/**
 * What is typed, the files that are there (HOME stands for the folder of the user), the exit code
 * and the error output.
 */
const rows: [line: string, files: Readonly<Record<string, string>>, code: number, err: string][] = [
  [
    'complete --temp 3 x',
    {},
    2,
    `error: unknown option '--temp'\n(Did you mean --temperature?)\nFor usage, run: modelport complete --help\n`,
  ],
  [
    'complete --image HOME/d.txt x',
    { 'd.txt': '' },
    2,
    'error: HOME/d.txt: not an image that vendors take; give a file that ends with .png .jpg .jpeg .webp .gif\n',
  ],
  [
    'complete --schema HOME/s.json plain',
    { 's.json': '{"type":"object"}' },
    16,
    'error (protocol): the reply is not JSON, so it does not fit the schema; try again, or another model\n',
  ],
  [
    'prompts check HOME/empty',
    { 'empty/.keep': '' },
    0,
    '0 prompts: HOME/empty has no Markdown files\n',
  ],
  [
    'studio --mcp no-such-command',
    {},
    2,
    'error: --mcp: there is no command "no-such-command"; install it, give its path, or give an address that begins with http:// or https://\n',
  ],
]
test.each(rows)('the message of a mistake says what to do: %s', async (line, files, code, err) => {
  const inHome = (text: string): string => text.replaceAll('HOME', home.path)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home.path, name)), { recursive: true })
    writeFileSync(join(home.path, name), text)
  }
  const world = { home: home.path, stdin: '', environment: { MY_KEY: key, OPENAI_API_KEY: key } }
  const outcome = await command(line.split(' ').map(inHome), world)
  expect({ code: outcome.code, err: outcome.err }).toEqual({ code, err: inHome(err) })
})

test('the code of an error is said once', async () => {
  const failing = async (
    environment: Readonly<Record<string, string>>,
    ...args: string[]
  ): Promise<string> =>
    (
      await command(['complete', 'x', ...args], { home: home.path, stdin: '', environment })
    ).err.split('\n')[0] ?? ''
  expect(await failing({}, '--base-url', 'http://127.0.0.1:9/v1')).toBe(
    'error (network): openai-compatible: refused at 127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9',
  )
  expect(await failing({ MY_KEY: 'sk-wrong-0123456789' })).toMatch(
    /^error \(auth\): openai-compatible: 401: /,
  )
})

test('a configuration without roles works: the first model is used, and -m needs none', async () => {
  const file = configOf(home.path)
  writeFileSync(file, readFileSync(file, 'utf8').replace('roles: {chat: main}', ''))
  const world = { home: home.path, stdin: '', environment: { MY_KEY: key } }
  for (const args of [
    ['complete', 'plain'],
    ['complete', '-m', 'main', 'plain'],
  ])
    expect(await command(args, world)).toEqual({ code: 0, out: 'Plain text\n', err: '' })
  for (const args of [['models'], ['hosts'], ['doctor', '--until', 'config']])
    expect(await command(args, world)).toMatchObject({ code: 0, err: '' })
})
