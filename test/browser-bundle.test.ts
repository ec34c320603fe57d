// What a browser or a worker gets of the packages that run there: nothing of Node, no SDK, and
// nothing happens when it is loaded.
import { createContext, runInContext } from 'node:vm'
import { presets } from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'
import { bundleForBrowser } from './support/bundle.js'

const packages = [
  'core',
  'driver',
  'provider-openai-compatible',
  'provider-anthropic',
  'provider-google',
  'provider-ollama',
  'provider-openai',
]
const importing = (names: readonly string[]): string =>
  names.map((name, index) => `export * as p${index} from '@modelport/${name}'\n`).join('')

/**
 * Traces of Node in a program: its modules, `require`, its globals where they are not looked up
 * with care.
 */
const leaks =
  /\bnode:|\brequire\b|\bBuffer\b|\b__(?:file|dir)name\b|\bsetImmediate\b|\bglobal\.|\bprocess(?:\.|\[)(?!\?)/g

/** Fails to build where anything imports a module that browsers do not have. */
const everything = bundleForBrowser({ contents: importing(packages) })

const withoutComments = (program: string): string =>
  program.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')

test('nothing of Node and no SDK is in the bundle', async () => {
  const program = withoutComments(await everything)
  expect(program).toContain('createOpenAICompatible')
  expect(program.match(leaks) ?? []).toEqual([])
  expect(
    [...(await everything).matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm)]
      .map(([, file = '']) => file)
      .filter((file) => !file.startsWith('packages/')),
  ).toEqual([])
})

test('the search for traces of Node finds them', () => {
  const traces = [
    'import "node:fs"',
    'require("x")',
    'Buffer.from("")',
    'process.env',
    'process["env"]',
    '__dirname',
    'global.x',
  ]
  expect(traces.filter((trace) => !trace.match(leaks))).toEqual([])
  expect(
    [
      'globalThis.process?.versions',
      'const { process } = globalThis; process?.versions?.node',
      'processed.x',
    ].filter((text) => text.match(leaks)),
  ).toEqual([])
})

test('loading it touches nothing: no timer, no request, no environment, no new global', async () => {
  const program = await bundleForBrowser(
    { contents: importing(packages) },
    { format: 'iife', globalName: 'modelport' },
  )
  const touched: string[] = []
  const forbidden = [
    'process',
    'Deno',
    'Bun',
    'navigator',
    'location',
    'document',
    'localStorage',
    'fetch',
    'setTimeout',
    'setInterval',
    'queueMicrotask',
    'console',
    'performance',
    'crypto',
    'addEventListener',
  ]
  const realm: Record<string, unknown> = createContext({
    TextEncoder,
    TextDecoder,
    URL,
    AbortController,
    AbortSignal,
  })
  for (const name of forbidden) {
    Object.defineProperty(realm, name, { configurable: true, get: () => void touched.push(name) })
  }
  const before = Object.getOwnPropertyNames(runInContext('globalThis', realm))
  runInContext(program, realm)
  expect(touched).toEqual([])
  expect(
    Object.getOwnPropertyNames(runInContext('globalThis', realm)).filter(
      (name) => !before.includes(name),
    ),
  ).toEqual(['modelport'])
  expect(runInContext('Object.keys(modelport.p2)', realm)).toContain('createOpenAICompatible')
})

// What a bundler cannot leave out of one program it leaves in every one.
test.each(['deepseek', 'vllm'] as const)(
  'a program with the preset %s has no other',
  async (name) => {
    const program = await bundleForBrowser({
      contents: `export { createPresetProvider } from '@modelport/provider-openai-compatible'\nexport { ${name} } from '@modelport/catalog'`,
    })
    expect(
      Object.values(presets)
        .filter(({ docs }) => program.includes(`"${docs}"`))
        .map((row) => row.name),
    ).toEqual([name])
  },
)
