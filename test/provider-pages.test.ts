// Every page of docs/providers has the same headings, and its example runs. Pages of presets are made of their rows; after a change of
// the table, write them anew: pnpm exec vitest run --project workspace test/provider-pages.test.ts --update
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anthropicMessages, gemini, ollamaChat, openaiChat, openaiResponses, type ScriptTurn } from '@modelport/conformance'
import { startWireServer, type WireReply, type WireServer } from '@modelport/conformance/wire-server'
import { type PresetName, presets } from '@modelport/provider-openai-compatible'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { presetPage } from './support/preset-page.js'
import { readJson, readText, root } from './support/repository.js'

const headings = ['Install', 'Configure', 'Hosts', 'Abilities', 'Quirks', 'Example']
/** Pages whose example opens no connection: their own package runs it. */
const offline = ['llamacpp', 'mock']
const pages = readdirSync(join(root, 'docs/providers')).map((file) => file.replace(/\.md$/, '')).sort()
const presetNames = Object.keys(presets) as PresetName[]
const text = (name: string): string => readText(`docs/providers/${name}.md`)

describe('the pages', () => {
  test('are there for every vendor', () => {
    expect(pages).toEqual(expect.arrayContaining([...presetNames, 'anthropic', 'google', 'ollama', 'openai']))
  })

  test.each(presetNames)('of the preset %s is that of its row', async (name) => {
    await expect(presetPage(name)).toMatchFileSnapshot(join(root, `docs/providers/${name}.md`))
  })

  test.each(pages)('of %s follows the template', (name) => {
    const page = text(name)
    expect(page).toMatch(/^# .+\n/)
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(headings)
    expect(page).toMatch(/^ {4}npm install @modelport\//m)
    if (!offline.includes(name)) expect(example(name)).toContain('provider.complete(')
  })
})

const example = (name: string): string => /^## Example\n\n```ts\n(.*?)^```$/ms.exec(text(name))?.[1] ?? ''

const folder = join(root, '.cache/provider-pages')
const runnable = pages.filter((name) => !offline.includes(name))
const fileOf = (name: string): string => join(folder, `${name}.ts`)
const usage = { inputTokens: 5, outputTokens: 2 }
const turns: Record<'call' | 'text', ScriptTurn> = {
  call: { toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: { city: 'Rome' } }], finish: 'tool-calls', usage },
  text: { text: ['Hello', ' there.'], finish: 'stop', usage },
}
/** Calls the tool when there is one and no result yet. */
const reply: WireReply = (request, { format }) => {
  const { tools, messages } = format.read(request)
  return tools.length > 0 && messages.every(({ role }) => role !== 'tool') ? turns.call : turns.text
}

describe('the examples', () => {
  let server: WireServer

  beforeAll(async () => {
    server = await startWireServer({ formats: [openaiResponses, openaiChat, anthropicMessages, gemini, ollamaChat], reply })
    mkdirSync(folder, { recursive: true })
    for (const name of runnable) {
      const call = /(create\w+\((?:'[\w-]+', )?\{)/
      expect(example(name), name).toMatch(call)
      writeFileSync(fileOf(name), example(name).replace(call, `$1 baseUrl: '${server.url}', `))
    }
  })
  afterAll(() => server.close())

  test('type-check', () => {
    const { tsBuildInfoFile: _, ...options } = ts.parseJsonConfigFileContent(readJson('tsconfig.test.json'), ts.sys, root).options
    const files = runnable.map(fileOf)
    const program = ts.createProgram({ rootNames: files, options: { ...options, composite: false, incremental: false, noEmit: true } })
    const problems = files.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  })

  test.each(runnable)('of %s runs and says what the server said', async (name) => {
    for (const [, variable = ''] of example(name).matchAll(/process\.env\['(\w+)'\]/g)) vi.stubEnv(variable, 'sk-example-123456')
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

  test('none is left out', () => {
    expect(runnable.every((name) => existsSync(fileOf(name)))).toBe(true)
    expect(runnable.length).toBeGreaterThanOrEqual(presetNames.length + 4)
  })
})
