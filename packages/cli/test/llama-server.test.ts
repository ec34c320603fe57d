import { readFileSync } from 'node:fs'
import { afterAll, afterEach, expect, test } from 'vitest'
import { startLlamaServer } from '../../../test/support/llama-server.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { PseudoTerminal, stable } from './pseudo-terminal.js'
import { configOf } from './wire.js'

const key = 'sk-llama-canary-01234'
const server = startLlamaServer(['--api-key', key])
if (!server)
  console.log(
    'skipped: the command line against a real llama.cpp server, which this machine does not have',
  )
const home = temporaryFolder('home')
let terminal: PseudoTerminal | undefined

afterEach(() => terminal?.kill())
afterAll(() => {
  server?.stop()
})

test.skipIf(!server)('init, doctor and chat work with a real server', async () => {
  const start = async (...args: string[]): Promise<PseudoTerminal> =>
    (terminal = await PseudoTerminal.start(args, home))

  const setUp = await start('init', '--provider', 'llamacpp-server')
  await setUp.shows('Address of llamacpp-server?')
  setUp.type(`\u0015${server!.url}\r`)
  await setUp.shows('Key of llamacpp-server')
  setUp.type(`${key}\r`)
  await setUp.shows('Where to keep the key?')
  setUp.type('\r')
  // The list is the server's own.
  await setUp.shows('Type to search')
  await setUp.shows('tinytool')
  setUp.type('\r')
  expect(await setUp.ended()).toBe(0)
  await expect(stable(setUp.screen())).toMatchFileSnapshot('screens/llama-server-init.txt')
  expect(readFileSync(configOf(home), 'utf8')).toContain('model: tinytool')
  // The server says so itself.
  expect(readFileSync(configOf(home), 'utf8')).toContain('profile:\n      supports_tools: true\n')

  const doctor = await start('doctor', '--until', 'stream')
  expect(await doctor.ended()).toBe(0)
  await expect(stable(doctor.screen()).replace(/\d+ tokens/, 'N tokens')).toMatchFileSnapshot(
    'screens/llama-server-doctor.txt',
  )

  const chat = await start('chat', '--no-save')
  await chat.shows(/^>/m)
  chat.type('Hello\r')
  await chat.shows(' out')
  await chat.shows(/^>/m, 2)
  chat.type('\u0004')
  expect(await chat.ended()).toBe(0)
  expect(chat.screen()).toMatch(/> Hello\n.+\n\d+ in( \(\d+ cached\))? · \d+ out/s)
  for (const { raw } of [setUp, doctor, chat]) expect(raw).not.toContain(key)
  expect(server!.log()).not.toContain(key)
})
