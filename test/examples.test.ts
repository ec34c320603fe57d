// Every example runs as its page says, from its sources, and prints what it should.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findServer } from '../examples/restate/src/engine.ts'
import { root } from '../scripts/workspaces.ts'
import { bundlePrograms } from './support/bundle.js'
import { expectPrints } from './support/doc-run.js'
import { startLlamaServer } from './support/llama-server.js'
import { startLoggingProxy } from './support/logging-proxy.js'
import { findDeno, runProgram } from './support/program.js'
import { readText, repositoryFiles } from './support/repository.js'
import { findSandboxRuntime } from './support/sandbox-runtime.js'
import { startVendorServer } from './support/vendor-server.js'

const folder = mkdtempSync(join(tmpdir(), 'modelport-examples-'))
const source = (example: string, file = 'main'): string =>
  join(root, `examples/${example}/src/${file}.ts`)
const entries = {
  roles: source('roles'),
  batches: source('batches'),
  handover: source('handover'),
  'surviving-agent': source('surviving-agent'),
  'sqlite-thread': join(root, 'packages/durable/src/sqlite/sqlite-thread.ts'),
  'delegating-agents': source('delegating-agents'),
  'mcp-agent': source('mcp-agent'),
  'custom-provider': source('custom-provider'),
  'ai-sdk': source('ai-sdk'),
  'research-desk': source('research-desk'),
  'sandboxed-agent': source('sandboxed-agent'),
  agent: source('sandboxed-agent', 'agent'),
  hosts: source('sandboxed-agent', 'hosts'),
}
/** They start servers next to them, so they are not bundled. */
const fromSources = ['mcp-two-servers', 'restate']
let programs: Record<keyof typeof entries, string>
beforeAll(async () => {
  programs = await bundlePrograms(folder, entries)
})
afterAll(() => {
  rmSync(folder, { recursive: true, maxRetries: 5 })
})

/** The blocks of output of a page. */
const textBlocks = (page: string): string[] =>
  [...readText(page).matchAll(/^```text\n([^]*?)^```$/gm)].map(([, text = '']) => text)
const textBlock = (page: string): string => textBlocks(page)[0] ?? ''

/** Its servers are as strict as those of the tests. */
const doubles = join(root, 'test/doubles/register.ts')

/** The lines that a program prints. */
async function linesOf(...args: readonly string[]): Promise<string[]> {
  const { stdout, stderr, status } = await runProgram(
    process.execPath,
    ['--import', doubles, ...args],
    { cwd: folder },
  )
  expect(status, stderr + stdout).toBe(0)
  return stdout.trim().split('\n')
}

test('each folder is in the table of docs/README.md, is run here, and says how to run it', () => {
  for (const example of readdirSync(join(root, 'examples')).filter((name) =>
    existsSync(join(root, `examples/${name}/package.json`)),
  )) {
    expect(readText('docs/README.md')).toContain(`(../examples/${example})`)
    if (example === 'basic') continue // npm run demo
    // It runs in a browser, in tests of its own.
    if (example !== 'chat') expect([...Object.keys(entries), ...fromSources]).toContain(example)
    expect(readText(`examples/${example}/README.md`)).toContain('node src/main.ts')
  }
})

test.each([
  ['roles', 'each role has its model, and chat its spare one'],
  ['batches', 'two requests as a batch'],
  ['handover', 'the results of two tools, run for different vendors, reach the third'],
  ['surviving-agent', 'a payment that was cut is not made twice, and is settled by hand'],
  ['delegating-agents', 'the approval goes down to the second agent, and its result comes up'],
  ['mcp-agent', 'the official client puts the question of an agent to its user'],
  ['ai-sdk', 'a model of the AI SDK is a provider, whose hosts are unknown'],
  ['custom-provider', 'it is found by its name, and its host is known'],
] as [keyof typeof entries, string][])('%s: %s', async (example) => {
  const page = `examples/${example}/README.md`
  const printed = await linesOf(
    programs[example],
    ...(example === 'roles' ? [join(root, 'examples/roles/models.yaml')] : []),
  )
  expectPrints(textBlock(page), printed.join('\n'), page)
})

test('mcp-two-servers: the question of a server is answered by a later start of the program', async () => {
  const page = 'examples/mcp-two-servers/README.md'
  const lock = readText('examples/mcp-two-servers/modelport.lock')
  const start = async (env: Record<string, string> = {}) => {
    const args = ['--import', join(root, 'scripts/sources.mjs'), source('mcp-two-servers')]
    const { stdout, stderr, status } = await runProgram(process.execPath, args, {
      env,
      cwd: folder,
    })
    expect(status, stderr + stdout).toBe(0)
    return stdout
  }
  const [asked = '', refused = '', answered = ''] = textBlocks(page)
  expectPrints(asked, await start(), page)
  expectPrints(refused, await start({ PEOPLE: '9' }), page)
  expectPrints(answered, await start({ PEOPLE: '4' }), page)
  expect(existsSync(join(folder, 'evening.json'))).toBe(false)
  expect(await start({ PEOPLE: 'no' })).toContain('not booked: the guest declined')
  expect(readText('examples/mcp-two-servers/modelport.lock')).toBe(lock)
})

test.skipIf(!findServer())(
  'restate: the real server wakes a run whose process was killed',
  async () => {
    const page = 'examples/restate/README.md'
    const printed = await linesOf('--import', join(root, 'scripts/sources.mjs'), source('restate'))
    expectPrints(textBlock(page), printed.join('\n'), page)
  },
)

test('what a guide says that an example prints is what its own page says', () => {
  expect(readText('docs/guides/engines.md')).toContain(
    `\`\`\`text\n${textBlock('examples/restate/README.md')}`,
  )
  expect(readText('docs/guides/engines.md')).toContain(readText('examples/restate/src/continue.ts'))
  expect(textBlock('docs/guides/agent-that-survives.md')).toBe(
    textBlock('examples/surviving-agent/README.md'),
  )
})

// The tests above bundle the programs; Node runs the files themselves, and finds an import only
// under its own name.
test('a program of an example imports files that exist', () => {
  const files = repositoryFiles().filter((path) => /^examples\/[^/]+\/src\/.*\.ts$/.test(path))
  const imports = files.flatMap((path) =>
    [...readText(path).matchAll(/ from '(\.[^']*)'/g)].map(([, name = '']) =>
      join(root, path, '..', name),
    ),
  )
  expect(imports.length).toBeGreaterThan(10)
  expect(imports.filter((path) => !existsSync(path))).toEqual([])
})

const llama = startLlamaServer(['--jinja'])
afterAll(() => llama?.stop())

test.skipIf(!llama)(
  'research-desk: a small model finds, is refused once, and is classified',
  async () => {
    expect(await linesOf(programs['research-desk'], llama?.url ?? '')).toEqual([
      'researcher: calling interrupt calling success get_weather({"city":"Rome"})',
      'editor: calling exception calling success',
      '  refused: the reply is not about the weather',
      // The first token of this model is nothing, also when it is asked not to think, so five votes
      // follow.
      ...['first', 'without thinking'].flatMap(() => [
        'researcher: calling exception failure',
        '  refused: Your reply was cut off before it said anything: be shorter.',
      ]),
      ...Array.from({ length: 5 }, () => 'researcher: calling success'),
      'Rome: 31 degrees',
      expect.stringMatching(/^editor: .*weather/),
      expect.stringMatching(/^question: (weather, \d+ %|sum, \d+ %|no label)$/),
    ])
  },
)

describe('sandboxed-agent', () => {
  const deno = findDeno()
  test.skipIf(deno === undefined)(
    'under Deno the model is reached, and the page that would take the notes is not',
    async () => {
      expect(await linesOf(programs['sandboxed-agent'], programs.agent, deno!)).toEqual([
        expect.stringMatching(
          /^\$ deno run --no-prompt --allow-net=(127\.0\.0\.1:\d+) .*agent\.ts http:\/\/\1\/v1$/,
        ),
        expect.stringMatching(
          /could not open https:\/\/collector\.example\/\?notes=secret: Requires net access to "collector\.example:443"/,
        ),
        'Your notes say nothing new.',
      ])
    },
  )

  const srt = findSandboxRuntime()
  test.skipIf(srt === undefined)(
    'under sandbox-runtime the model is reached too, by the settings that the program prints',
    async () => {
      const server = await startVendorServer()
      const plain = Number(new URL(server.url).port)
      const parent = await startLoggingProxy(
        new Map([['models.example.com:80', { tunnel: plain, plain }]]),
      )
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
    },
  )
})
