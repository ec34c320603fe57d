// The command line on both sides of MCP: `mcp serve` as a process of its own, which `mcp list` and
// `mcp call` start over stdio.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { buildCli } from './build-cli.js'
import { command, type Outcome } from './test-io.js'

const home = temporaryFolder('mcp-stdio')
let server: string
beforeAll(async () => {
  // The file of tools has a copy of the runtime of its own, as in a project next to a program that
  // is installed for the whole machine.
  await build({
    entryPoints: [
      fileURLToPath(new URL('../../runtime/src/tools/tool-content.ts', import.meta.url)),
    ],
    outfile: join(home, 'runtime.mjs'),
    bundle: true,
    format: 'esm',
  })
  const file = join(home, 'tools.mjs')
  writeFileSync(
    file,
    `import { ToolFailure } from './runtime.mjs'
const parameters = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] }
export default [
  { name: 'weather', description: 'The weather of a city', parameters, execute: ({ city, days = 1 }) => days + ' days of sun in ' + city },
  { name: 'fail', description: 'Always fails', parameters: { type: 'object' }, execute: () => { throw new ToolFailure('no wind today') } },
  { name: 'leak', description: 'Throws what callers must not read', parameters: { type: 'object' }, execute: () => { throw new Error('no password s3cret') } },
]`,
  )
  server = `${process.execPath} ${await buildCli()} mcp serve ${file}`
})
const mcp = (...args: string[]): Promise<Outcome> =>
  command(['mcp', ...args], { home, stdin: '', environment: {} })

test('mcp list shows the tools of a server that mcp serve runs over stdio', async () => {
  const { code, out } = await mcp('list', server)
  expect([code, out]).toEqual([
    0,
    [
      'tool  weather  The weather of a city',
      'tool  fail  Always fails',
      'tool  leak  Throws what callers must not read',
      '',
    ].join('\n'),
  ])
  const { tools, prompts } = JSON.parse((await mcp('list', server, '--json')).out) as Record<
    string,
    { name: string }[]
  >
  expect([tools?.map(({ name }) => name), prompts]).toEqual([['weather', 'fail', 'leak'], []])
})

test('mcp call calls a tool with JSON and with single arguments, and prints its result', async () => {
  expect(await mcp('call', server, 'weather', '{"city":"Rome"}')).toEqual({
    code: 0,
    out: '1 days of sun in Rome\n',
    err: '',
  })
  const { out } = await mcp(
    'call',
    server,
    'weather',
    '{"days":1}',
    '--arg',
    'city=7',
    '--arg',
    'days=3',
  )
  expect(out).toBe('3 days of sun in 7\n')
  const json = JSON.parse(
    (await mcp('call', server, 'weather', '--arg', 'city=Rome', '--json')).out,
  ) as unknown
  expect(json).toEqual({
    content: [{ type: 'text', text: expect.stringContaining('1 days of sun in Rome') as string }],
  })
})

test.each([
  [
    'a tool that the server does not have',
    ['whether'],
    2,
    'the server has no tool "whether"; it has weather, fail, leak',
  ],
  ['a tool that fails', ['fail'], 1, 'error: no wind today\n'],
  [
    'a tool that throws any other error, whose words only the operator of the server sees',
    ['leak'],
    1,
    'error: The tool "leak" failed; the operator of the server can see why\n',
  ],
  ['arguments that do not fit', ['weather', '{"days":"x"}'], 6, 'city'],
  ['arguments that are not JSON', ['weather', '{city}'], 2, 'the arguments must be a JSON object'],
])('mcp call says what is wrong with %s', async (_what, args, code, message) => {
  const outcome = await mcp('call', server, ...args)
  expect([outcome.code, outcome.out]).toEqual([code, ''])
  expect(outcome.err).toContain(message)
  expect(outcome.err).not.toContain('s3cret')
})

test('mcp list advises what can be done about a program that does not exist, or that is not an MCP server', async () => {
  for (const program of ['node nowhere.mjs', 'node -e console.log(1)']) {
    const { code, err } = await mcp('list', program)
    expect(code).not.toBe(0)
    expect(err).toContain('Start the server by hand to see what it says')
    expect(err).not.toMatch(/prox|base URL/)
  }
})
