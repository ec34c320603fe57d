// Every page of docs/providers has the same headings, and its example runs. Pages of presets are
// made of their rows; after a change of the table, write them anew: pnpm exec vitest run --project
// workspace test/provider-pages.test.ts --update

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ScriptTurn } from '@modelport/conformance'
import {
  startWireServer,
  type WireReply,
  type WireServer,
} from '@modelport/conformance/wire-server'
import { type Capabilities, describeProvider, type Provider } from '@modelport/core'
import { apiHost, type ModelConfig, providerRows } from '@modelport/factory'
import { createLlamaCpp } from '@modelport/provider-llamacpp'
import { type PresetName, presets } from '@modelport/provider-openai-compatible'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { testedApis, wireFormats } from './providers.js'
import { abilityTable, presetPage } from './support/preset-page.js'
import { readJson, readText, root } from './support/repository.js'

const headings = ['Install', 'Configure', 'Hosts', 'Abilities', 'Quirks', 'Example']
/** Pages whose example opens no connection: their own package runs it. */
const offline = ['llamacpp']
const pages = readdirSync(join(root, 'docs/providers'))
  .map((file) => file.replace(/\.md$/, ''))
  .sort()
const presetNames = Object.keys(presets) as PresetName[]
const text = (name: string): string => readText(`docs/providers/${name}.md`)

// A vendor of Chat Completions is one file: its own page is written from it.
test('the page of configurations names every provider with a package or a cloud, and the keys of clouds', () => {
  const page = readText('docs/configuration.md')
  const isWritten = (word: string): boolean => page.includes(`\`${word}\``)
  const inCloud = providerRows.filter(({ cloud }) => cloud !== undefined)

  const names = providerRows.map(({ name }) => name).filter((name) => !Object.hasOwn(presets, name))
  expect(names.filter((name) => !isWritten(name))).toEqual([])
  expect(
    inCloud.flatMap(({ keyEnv }) => keyEnv).filter((variable) => !isWritten(variable)),
  ).toEqual([])
})

describe('the pages', () => {
  test('the pages are there for every vendor', () => {
    expect(pages).toEqual(
      expect.arrayContaining([...presetNames, ...testedApis.map(({ provider }) => provider)]),
    )
  })

  test.each(presetNames)('the page of the preset %s is that of its row', async (name) => {
    await expect(presetPage(name)).toMatchFileSnapshot(join(root, `docs/providers/${name}.md`))
  })

  test.each(pages)('the page of %s follows the template', (name) => {
    const page = text(name)
    expect(page).toMatch(/^# .+\n/)
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(headings)
    expect(page).toMatch(/^ {4}npm install @modelport\//m)
    if (!offline.includes(name))
      expect(example(name), 'the example is run, and calls `provider.complete(`').toContain(
        'provider.complete(',
      )
  })
})

interface WrittenPage {
  /** Name of the interface of its configuration. */
  readonly configType: string
  readonly provider: Provider
  readonly config: ModelConfig
}

/** The pages that are written by hand: what they show is what the code says. */
const written: Readonly<Record<string, WrittenPage>> = {
  ...Object.fromEntries(
    testedApis
      .filter(({ provider, name }) => !(provider in presets) && name !== 'openai chat')
      .map(({ provider, creator, config, create, shownModel }): [string, WrittenPage] => {
        const configType = `${creator.replace(/^create/, '')}Config`
        return [provider, { configType, provider: create({ model: shownModel }), config }]
      }),
  ),
  llamacpp: {
    configType: 'LlamaCppConfig',
    provider: createLlamaCpp({ modelPath: '/nowhere/model.gguf' }),
    config: { provider: 'llamacpp', model: 'm' },
  },
}
const section = (name: string, heading: string): string =>
  new RegExp(`^## ${heading}\\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(text(name))?.[1] ?? ''

describe.each(Object.entries(written))(
  'the page of %s, written by hand,',
  (name, { provider, config }) => {
    test('a page that is written by hand has the abilities that its package gives as data', () => {
      const { capabilities } = describeProvider(provider)
      expect(section(name, 'Abilities')).toContain(
        `${abilityTable(capabilities as Capabilities)}\n`,
      )
    })

    test('a page that is written by hand names the hosts that are contacted', () => {
      const host = apiHost(config, { environment: () => undefined })
      expect(section(name, 'Hosts')).toMatch(host ? `\`${host}\`` : /^\nNone:/)
    })
  },
)

const example = (name: string): string =>
  /^## Example\n\n```ts\n(.*?)^```$/ms.exec(text(name))?.[1] ?? ''

const folder = join(root, '.cache/provider-pages')
const runnable = pages.filter((name) => !offline.includes(name))
const fileOf = (name: string): string => join(folder, `${name}.ts`)
const usage = { inputTokens: 5, outputTokens: 2 }
const turns: Record<'call' | 'text', ScriptTurn> = {
  call: {
    toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: { city: 'Rome' } }],
    finish: 'tool-calls',
    usage,
  },
  text: { text: ['Hello', ' there.'], finish: 'stop', usage },
}
/** Calls the tool when there is one and no result yet. */
const reply: WireReply = (request, { format }) => {
  const { tools, messages } = format.read(request)
  return tools.length > 0 && messages.every(({ role }) => role !== 'tool') ? turns.call : turns.text
}

const indexOf = (name: string): string => join(root, `packages/provider-${name}/src/index.ts`)
const compilerOptions = (): ts.CompilerOptions => {
  const { tsBuildInfoFile: _, ...options } = ts.parseJsonConfigFileContent(
    readJson('tsconfig.test.json'),
    ts.sys,
    root,
  ).options
  return options
}

/** Blocks other than the example, with declarations of what a reader has in their place. */
const given = `declare const apiKey: string
declare const azureADTokenProvider: () => Promise<string>
declare const fetchMyToken: () => Promise<string>
`
function writeBlocks(): string[] {
  return pages.flatMap((name) =>
    [...text(name).matchAll(/^```ts\n(.*?)^```$/gms)].slice(0, -1).map(([, code = ''], index) => {
      const file = join(folder, `${name}-${index + 1}.ts`)
      writeFileSync(file, given + code)
      return file
    }),
  )
}

describe('the examples', () => {
  let program: ts.Program
  let files: string[]
  let server: WireServer

  beforeAll(async () => {
    server = await startWireServer({
      formats: wireFormats,
      reply,
    })
    rmSync(folder, { recursive: true, maxRetries: 5, force: true })
    mkdirSync(folder, { recursive: true })
    for (const name of runnable) {
      const call = /(create\w+\((?:'[\w-]+', )?\{)/
      expect(example(name), name).toMatch(call)
      const here = `baseUrl: '${server.url}'`
      const code = example(name).includes('baseUrl:')
        ? example(name).replace(/baseUrl: '[^']*'/, here)
        : example(name).replace(call, `$1 ${here}, `)
      writeFileSync(fileOf(name), code)
    }
    files = [...runnable.map(fileOf), ...writeBlocks()]
    program = ts.createProgram({
      rootNames: [...files, ...Object.keys(written).map(indexOf)],
      options: { ...compilerOptions(), composite: false, incremental: false, noEmit: true },
    })
  })
  afterAll(() => server.close())

  test('the examples type-check, as all other code of the pages does', () => {
    const problems = files.flatMap((file) =>
      ts.getPreEmitDiagnostics(program, program.getSourceFile(file)),
    )
    expect(
      problems.map(
        ({ messageText, file }) =>
          `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      ),
    ).toEqual([])
  })

  test.each(Object.entries(written))(
    'the example of %s lists every field of its configuration, and no other',
    (name, { configType }) => {
      const checker = program.getTypeChecker()
      const file = program.getSourceFile(indexOf(name))
      const module = file && checker.getSymbolAtLocation(file)
      const exported =
        module &&
        checker.getExportsOfModule(module).find((symbol) => symbol.getName() === configType)
      const fields =
        exported &&
        checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(exported)).getProperties()
      const isCommon = (field: ts.Symbol): boolean =>
        field.declarations?.some((one) =>
          one.getSourceFile().fileName.includes('/packages/driver/'),
        ) ?? false
      const own = (fields ?? [])
        .filter((field) => field.getName() === 'model' || !isCommon(field))
        .map((field) => field.getName())
      const named = [...section(name, 'Configure').matchAll(/^\| (`[^|]*?) \|/gm)].flatMap(
        ([, cell = '']) => [...cell.matchAll(/`(\w+)[.\w]*`/g)].map(([, field]) => field),
      )
      expect(own.length).toBeGreaterThan(2)
      expect([...new Set(named)].sort()).toEqual(own.sort())
    },
  )

  test.each(runnable)('the example of %s runs and says what the server said', async (name) => {
    for (const [, variable = ''] of example(name).matchAll(/process\.env\['(\w+)'\]/g))
      vi.stubEnv(variable, 'sk-example-123456')
    const before = server.requests.length
    const log = vi.spyOn(console, 'log').mockReturnValue()
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      await import(/* @vite-ignore */ fileOf(name))
      expect(log.mock.calls).toEqual([['Hello there.']])
      expect(write.mock.calls.map(([piece]) => piece).join('')).toBe('Hello there.')
    } finally {
      log.mockRestore()
      write.mockRestore()
      vi.unstubAllEnvs()
    }
    const sent = server.requests.slice(before)
    expect(sent).toHaveLength(example(name).includes('streamWithTools') ? 3 : 2)
  })
})
