// Every TypeScript block of every page, of the packages' own, and of every @example, type-checks, and runs against the wire server unless it says `ts no-run`.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  anthropicMessages,
  gemini,
  ollamaChat,
  openaiChat,
  openaiResponses,
  type ScriptTurn,
} from '@modelport/conformance'
import { startWireServer, type WireReply } from '@modelport/conformance/wire-server'
import ts from 'typescript'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { publishedPackages } from '../scripts/workspaces.mjs'
import { docBlocks, pageFolder, writePage } from './support/doc-blocks.js'
import { withoutLayout } from './support/same-code.js'
import { readJson, readText, repositoryFiles, root } from './support/repository.js'

/** Run by these tests, which read the page; here they are type-checked only. */
const runElsewhere: Readonly<Record<string, string>> = {
  'docs/custom-provider.md': 'examples/custom-provider/test/house-provider.test.ts',
}
const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort()
const tests = repositoryFiles()
  .filter((path) => path.endsWith('.test.ts'))
  .map(readText)
  .join('\n')
const testCode = withoutLayout(tests)
/** Pages whose blocks stand in a test, but for their layout, are type-checked and run there. */
const isOfTest = (page: string): boolean => docBlocks(page).every(({ code }) => testCode.includes(withoutLayout(code)))
const readmes = publishedPackages().map(({ path }) => `${path}/README.md`)
const sources = repositoryFiles().filter(
  (path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && readText(path).includes(' * @example'),
)
const pages = [...inFolder('docs'), ...inFolder('docs/guides'), ...readmes, ...sources].filter(
  (page) => !isOfTest(page),
)
const runPages = pages.filter((page) => !(page in runElsewhere) && docBlocks(page).some(({ runs }) => runs))

const usage = { inputTokens: 12, outputTokens: 5 }
const say = (text: string): ScriptTurn => ({ text: [text], finish: 'stop', usage })

/** A model that calls the first tool once, in whichever way it is asked to, and then knows the weather. */
const reply: WireReply = (request, { format }) => {
  const { tools, messages, system } = format.read(request)
  const [tool] = tools
  const inJson = system.includes('"type"') && system.includes('final')
  if (inJson)
    return say(
      messages.length > 1
        ? '{"type":"final","content":"28 °C, sunny."}'
        : '{"type":"tool_call","tool":"get_weather","args":{"city":"Rome"}}',
    )
  if (JSON.stringify(request.body).includes('temperature":{"type":"number"'))
    return say('{"city":"Rome","temperature":28}')
  const asks = tool && messages.every(({ role }) => role !== 'tool')
  return asks
    ? { toolCalls: [{ id: 'call_1', name: tool.name, arguments: { city: 'Rome' } }], finish: 'tool-calls', usage }
    : say('28 °C, sunny.')
}
const server = await startWireServer({
  formats: [openaiResponses, openaiChat, anthropicMessages, gemini, ollamaChat],
  reply,
})
// Of this process: two runs at once would write into each other's files.
const [checkFolder, runFolder] = [`docs-${process.pid}/check`, `docs-${process.pid}/run`]
afterAll(async () => {
  await server.close()
  rmSync(join(root, '.cache', `docs-${process.pid}`), { recursive: true, force: true })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.chdir(root)
})

/** The example's servers become ours: those it names, and those that a provider has by default. */
const toServer = (code: string): string =>
  code
    .replace(/(baseUrl: |base_url: )'?http[^',\s]*'?/g, (_, field: string) => `${field}'${server.url}'`)
    .replace(/(create(?:Anthropic|OpenAI|Google|Ollama)\(\{)(?![^}]*baseUrl)/g, `$1 baseUrl: '${server.url}',`)

describe.each(runPages)('%s', (page) => {
  const files = writePage(runFolder, page, toServer)
  const blocks = docBlocks(page)
    .map((block, index) => ({ ...block, file: files[index] ?? '' }))
    .filter(({ runs }) => runs)

  test.each(blocks)('line $line runs', async ({ code, file }) => {
    for (const [, variable = ''] of code.matchAll(/process\.env\['(\w+)'\]/g)) vi.stubEnv(variable, 'sk-example-123456')
    for (const variable of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'MY_KEY']) vi.stubEnv(variable, 'sk-example-123456')
    vi.spyOn(console, 'log').mockReturnValue()
    vi.spyOn(console, 'error').mockReturnValue()
    vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    process.chdir(pageFolder(runFolder, page))
    const before = server.requests.length
    await import(/* @vite-ignore */ file)
    const asks =
      !code.includes('createMock(') &&
      /\b(?:complete|completeWithHistory|generate|stream\w*|infer\w*|testConnection)\((?!\))/.test(code)
    if (asks) expect(server.requests.length).toBeGreaterThan(before)
  })
})

test('every block type-checks', { timeout: 300_000 }, () => {
  const { tsBuildInfoFile: _, ...options } = ts.parseJsonConfigFileContent(
    readJson('tsconfig.test.json'),
    ts.sys,
    root,
  ).options
  const files = pages.flatMap((page) => writePage(checkFolder, page))
  const program = ts.createProgram({
    rootNames: files,
    options: { ...options, composite: false, incremental: false, noEmit: true },
  })
  const problems = files.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
  expect(
    problems.map(({ messageText, file, start = 0 }) => {
      const line = file?.getLineAndCharacterOfPosition(start).line ?? 0
      return `${file?.fileName.replace(`${root}.cache/${checkFolder}/`, '') ?? ''}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    }),
  ).toEqual([])
})
