// Every example runs as its page says, from its sources, and prints what it should.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../scripts/workspaces.mjs'
import { bundlePrograms } from './support/bundle.js'
import { startLlamaServer } from './support/llama-server.js'
import { startLoggingProxy } from './support/logging-proxy.js'
import { findDeno, runProgram } from './support/program.js'
import { readText } from './support/repository.js'
import { findSandboxRuntime } from './support/sandbox-runtime.js'
import { startVendorServer } from './support/vendor-server.js'

const folder = mkdtempSync(join(tmpdir(), 'modelport-examples-'))
const source = (example: string, file = 'main'): string => join(root, `examples/${example}/src/${file}.ts`)
const entries = {
  roles: source('roles'),
  media: source('media'),
  handover: source('handover'),
  'surviving-agent': source('surviving-agent'),
  'sqlite-thread': join(root, 'packages/durable/src/sqlite/sqlite-thread.ts'),
  'delegating-agents': source('delegating-agents'),
  'custom-provider': source('custom-provider'),
  'research-desk': source('research-desk'),
  'sandboxed-agent': source('sandboxed-agent'),
  agent: source('sandboxed-agent', 'agent'),
  hosts: source('sandboxed-agent', 'hosts'),
}
let programs: Record<keyof typeof entries, string>
beforeAll(async () => {
  programs = await bundlePrograms(folder, entries)
})
afterAll(() => {
  rmSync(folder, { recursive: true, maxRetries: 5 })
})

/** The lines that a program prints. */
async function linesOf(...args: readonly string[]): Promise<string[]> {
  const { stdout, stderr, status } = await runProgram(process.execPath, args, { cwd: folder })
  expect(status, stderr + stdout).toBe(0)
  return stdout.trim().split('\n')
}

test('each folder is in the table of README.md, is run here, and says how to run it', () => {
  for (const example of readdirSync(join(root, 'examples')).filter((name) =>
    existsSync(join(root, `examples/${name}/package.json`)),
  )) {
    expect(readText('README.md')).toContain(`(examples/${example})`)
    if (example === 'basic') continue // npm run demo
    // Runs in a browser, in a test of its own.
    if (example !== 'use-chat') expect(Object.keys(entries)).toContain(example)
    expect(readText(`examples/${example}/README.md`)).toContain('node src/main.ts')
  }
})

test('roles: each role has its model, and chat its spare one', async () => {
  expect(await linesOf(programs.roles, join(root, 'examples/roles/models.yaml'))).toEqual([
    'chat: I am claude-sonnet-4-6.',
    'shield: I am llama3.2.',
    expect.stringMatching(/^sub_agent: I am claude-haiku/),
    'chat, while its model is overloaded: I am gpt-5.4.',
    expect.stringMatching(/^hosts: 127\.0\.0\.1:\d+$/),
  ])
})

test('media: an image, a voice, a transcript, a ranking and a batch, in a budget', async () => {
  expect(await linesOf(programs.media)).toEqual([
    'image: image/png, 70 bytes',
    'speech: audio/mpeg, 4 bytes',
    'transcript: Good morning!',
    'best: The giant panda is a bear.',
    'spent: 4 calls, 0.0482 USD',
    'refused: budget-exceeded',
    'batch: Rome, Oslo',
  ])
})

test('handover: the results of two tools, run for different vendors, reach the third', async () => {
  expect(await linesOf(programs.handover)).toEqual([
    'openai: Let me look.',
    '  asks for get_weather({"city":"Rome"})',
    '  asks for get_weather({"city":"Oslo"})',
    'stored: user, assistant, tool',
    'anthropic: Rome: it has 28 °C against -4 °C.',
    'google: To Rome, as I have just read.',
  ])
})

test('surviving-agent: a payment that was cut is not made twice, and is settled by hand', async () => {
  expect(await linesOf(programs['surviving-agent'])).toEqual([
    'killed while it paid',
    'unknown outcome: invoice-17/1/0',
    'the bank says: 40 euros to Rossi, order invoice-17/1/0',
    'agent: Invoice 17 is paid.',
    'orders at the bank: 1',
  ])
})

test('delegating-agents: the approval goes down to the second agent, and its result comes up', async () => {
  expect(await linesOf(programs['delegating-agents'])).toEqual([
    'assistant: input-required',
    'approval asked by assistant > bank: {"amount":12}',
    'bank: pays {"amount":12}',
    'assistant: completed: Done: the bank paid your bill.',
  ])
})

test('custom-provider: it is found by its name, and its host is known', async () => {
  expect(await linesOf(programs['custom-provider'])).toEqual([
    expect.stringMatching(/^house answers from 127\.0\.0\.1:\d+ as house-1:$/),
    'Made in this house.',
  ])
  expect(readText('docs/custom-provider.md')).toContain('(../examples/custom-provider)')
})

const llama = startLlamaServer(['--jinja'])
afterAll(() => llama?.stop())

test.skipIf(!llama)('research-desk: a small model finds, is refused once, and is classified', async () => {
  expect(await linesOf(programs['research-desk'], llama?.url ?? '')).toEqual([
    'researcher: calling interrupt calling success get_weather({"city":"Rome"})',
    'editor: calling exception calling success',
    '  refused: the reply is not about the weather',
    // The first token of this model can be nothing.
    'researcher: calling exception calling success',
    '  refused: Your reply was cut off before it said anything: be shorter.',
    'Rome: 31 degrees',
    expect.stringMatching(/^editor: .*weather/),
    expect.stringMatching(/^question: (weather, \d+ %|sum, \d+ %|no label)$/),
  ])
})

describe('sandboxed-agent', () => {
  const deno = findDeno()
  test.skipIf(deno === undefined)(
    'under Deno the model is reached, and the page that would take the notes is not',
    async () => {
      expect(await linesOf(programs['sandboxed-agent'], programs.agent, deno!)).toEqual([
        expect.stringMatching(/^\$ deno run --no-prompt --allow-net=(127\.0\.0\.1:\d+) .*agent\.ts http:\/\/\1\/v1$/),
        expect.stringMatching(
          /could not open https:\/\/collector\.example\/\?notes=secret: Requires net access to "collector\.example:443"/,
        ),
        'Your notes say nothing new.',
      ])
    },
  )

  const srt = findSandboxRuntime()
  test.skipIf(srt === undefined)('under sandbox-runtime too, by the settings it prints', async () => {
    const server = await startVendorServer()
    const plain = Number(new URL(server.url).port)
    const parent = await startLoggingProxy(new Map([['models.example.com:80', { tunnel: plain, plain }]]))
    try {
      const baseUrl = 'http://models.example.com/v1'
      const settings = join(folder, 'srt.json')
      writeFileSync(settings, (await linesOf(programs.hosts, 'srt', baseUrl)).join('\n'))
      const env = { HTTP_PROXY: parent.url, HTTPS_PROXY: parent.url }
      const { stdout, stderr, status } = await runProgram(
        process.execPath,
        [srt!, '--settings', settings, '-c', `${process.execPath} ${programs.agent} ${baseUrl}`],
        { env, cwd: folder },
      )
      expect(status, stderr).toBe(0)
      expect(stdout.trim().split('\n').at(-1)).toBe('It is cold.')
      expect([...new Set(parent.asked)]).toEqual(['models.example.com:80'])
    } finally {
      parent.close()
      await server.close()
    }
  })
})
