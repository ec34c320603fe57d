// Every TypeScript block of every page, of the packages' own, and of every
// @example, type-checks, runs unless it says `ts no-run`, and prints what the `text` block after it
// says. `MODELPORT_DOCS=update` writes what it prints into the page.

import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWireServer } from '@modelport/conformance/wire-server'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { findPostgres, startPostgres } from '../packages/durable/test/support/postgres-server.js'
import { publishedPackages } from '../scripts/workspaces.ts'
import { testedApis, wireFormats } from './providers.js'
import {
  type DocBlock,
  docBlocks,
  pageFolder,
  writePage,
  writePrinted,
} from './support/doc-blocks.js'
import { createDocModel, embeddingsFormat, wireReply } from './support/doc-model.js'
import { expectPrinted, printedBy } from './support/doc-run.js'
import { readText, repositoryFiles, root } from './support/repository.js'
import { withoutLayout } from './support/same-code.js'

/** Run by these tests, which read the page; here they are type-checked only. */
const runElsewhere: Readonly<Record<string, string>> = {
  'README.md': 'test/readme.test.ts',
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
const isOfTest = (page: string): boolean =>
  docBlocks(page).every(({ code }) => testCode.includes(withoutLayout(code)))
const readmes = publishedPackages().map(({ path }) => `${path}/README.md`)
const sources = repositoryFiles().filter(
  (path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && readText(path).includes(' * @example'),
)
const guides = [...inFolder('docs/guides'), ...inFolder('skills/modelport/references')]
const pages = ['README.md', ...inFolder('docs'), ...guides, ...readmes, ...sources].filter(
  (page) => !isOfTest(page),
)
const runPages = pages.filter(
  (page) => !(page in runElsewhere) && docBlocks(page).some(({ runs }) => runs),
)

const model = createDocModel()
const server = await startWireServer({
  formats: [embeddingsFormat, ...wireFormats],
  reply: wireReply(model),
})
// Programs of pages that open a PostgreSQL; without one they are type-checked only.
const pageDatabase = 'postgres://127.0.0.1/app'
const opensPostgres = ({ code }: DocBlock): boolean => code.includes(pageDatabase)
const programs = runPages.some((page) => docBlocks(page).some(opensPostgres))
  ? findPostgres()
  : undefined
const postgres = programs === undefined ? undefined : await startPostgres(programs)
// Folders of this process: two runs at once would write into each other's files.
const checkFolder = `docs-${process.pid}/check`
const runFolder = `docs-${process.pid}/run`
afterAll(async () => {
  await server.close()
  await postgres?.stop()
  rmSync(join(root, '.cache', `docs-${process.pid}`), { recursive: true, force: true })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.chdir(root)
})

const creators = testedApis.map(({ creator }) => creator)

/** The example's servers become ours: those it names, and those that a provider has by default. */
const toServer = (code: string): string =>
  code
    .replace(pageDatabase, postgres?.url ?? pageDatabase)
    .replace(
      /(baseUrl: |base_url: )'?http[^',\s]*'?/g,
      (_, field: string) => `${field}'${server.url}'`,
    )
    .replace(
      new RegExp(`((?:${creators.join('|')})\\(\\{)(?![^}]*baseUrl)`, 'g'),
      `$1 baseUrl: '${server.url}',`,
    )
/** The address of the page again, in what a block printed. */
const toPage = (printed: string, code: string): string => {
  const host = /https?:\/\/([^/'\s]+)/.exec(code)?.[1] ?? '127.0.0.1:8080'
  return printed.replaceAll(new URL(server.url).host, host)
}

const update = process.env['MODELPORT_DOCS'] === 'update'

describe.each(runPages)('%s', (page) => {
  const files = writePage(runFolder, page, toServer)
  const blocks = docBlocks(page)
    .map((block, index) => ({ ...block, file: files[index] ?? '' }))
    .filter(({ runs }) => runs)
    .filter((block) => postgres !== undefined || !opensPostgres(block))
  const changed: { block: DocBlock; text: string }[] = []
  afterAll(() => {
    if (changed.length > 0) writePrinted(page, changed)
  })

  test.each(blocks)('line $line prints what the page says', async ({ file, ...block }) => {
    for (const [, variable = ''] of block.code.matchAll(/process\.env\['(\w+)'\]/g))
      vi.stubEnv(variable, 'sk-example-123456')
    for (const variable of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'MY_KEY'])
      vi.stubEnv(variable, 'sk-example-123456')
    process.chdir(pageFolder(runFolder, page))
    model.script(block.replies)
    const before = server.requests.length
    const printed = toPage(await printedBy(file), block.code)
    // A task completes without a model.
    const code = block.code.replaceAll('protolinkTasks.complete(', '')
    const asks =
      !code.includes('createMock(') &&
      /\b(?:complete|completeWithHistory|generate|stream\w*|infer\w*|testConnection)\((?!\))/.test(
        code,
      )
    if (asks) expect(server.requests.length).toBeGreaterThan(before)
    try {
      expectPrinted(block, printed)
    } catch (error) {
      if (!update) throw error
      changed.push({ block, text: printed })
    }
  })
})

/** Declarations of the pages would be a second check of them, which nobody reads. */
const noOutput = {
  noEmit: true,
  composite: false,
  incremental: false,
  declaration: false,
  declarationMap: false,
  emitDeclarationOnly: false,
}

test('every block type-checks', { timeout: 300_000 }, () => {
  const folder = join(root, '.cache', checkFolder)
  const project = join(folder, 'tsconfig.json')
  const files = pages.flatMap((page) => writePage(checkFolder, page))
  const config = {
    extends: join(root, 'tsconfig.test.json'),
    compilerOptions: noOutput,
    include: [],
    files,
  }
  writeFileSync(project, JSON.stringify(config))

  const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [compiler, '-p', project, '--pretty', 'false'],
    { cwd: folder, encoding: 'utf8' },
  )
  // A page may add a field to a type of a package, which the sources of the package do not know.
  const problems = stdout
    .split('\n')
    .filter((line) => /^(?!\.\.\/)\S.*: error TS|^error TS/.test(line))
  expect({ problems, stderr }).toEqual({ problems: [], stderr: '' })
})
