import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shapeSources, versionOf } from '../../scripts/shape-sources.ts'
import { root } from '../../scripts/workspaces.ts'
import { readJson } from '../support/repository.js'
import { brokenConverse, rightConverse } from './broken-converse.ts'
import { brokenRequests as requests, rightRequests } from './broken-requests.ts'
import { brokenUploads, rightUploads } from './broken-uploads.ts'
import { checkRequest } from './check-request.ts'
import { toPage } from './page.ts'
import { rules } from './rules.ts'
import { uploadShapes } from './shapes/uploads.ts'
import { readShapes } from './validators.ts'

const brokenRequests = [...requests, ...brokenConverse, ...brokenUploads]

test.each(
  [...rightRequests, ...rightConverse, ...rightUploads].map(
    (request) => [request.url, request] as const,
  ),
)('a right request to %s is taken', (_, request) => {
  expect(checkRequest(request)?.problems).toEqual([])
})

test.each(brokenRequests.map((row) => [row.rule, row.path || 'the headers', row] as const))(
  '%s: a request that breaks a rule at %s is refused for that alone',
  (_rule, _where, { rule, path, request }) => {
    const found = checkRequest(request)?.problems ?? []
    expect([...new Set(found.map((problem) => problem.rule))]).toEqual([rule])
    expect(found.map((problem) => problem.path)).toContain(path)
    for (const { message } of found) expect(message).not.toBe('')
  },
)

test('every rule has a name of its own, a source, and a request that breaks it', () => {
  const names = rules.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !brokenRequests.some(({ rule }) => rule === name))).toEqual([])
  expect(rules.filter(({ source }) => !URL.canParse(source))).toEqual([])
})

test.each(Object.entries(shapeSources))(
  'the shapes of %s are those of the installed package',
  (name, { from, at }) => {
    const { source } = readJson(`test/doubles/shapes/${name}.json`) as { readonly source: string }
    expect(source, 'run: node scripts/shape-sources.ts').toBe(
      `the types of ${from} ${versionOf(from, at)}`,
    )
  },
)

test.each([
  ['openai', 'resources/files.d.ts', 'FileCreateParams', 'file', []],
  [
    '@anthropic-ai/sdk',
    'resources/files.d.ts',
    'FileUploadParams',
    'anthropicFile',
    ['workspace_id'],
  ],
] as const)(
  'the fields of an upload are those of the installed package %s',
  (from, file, type, shape, headers) => {
    const types = readFileSync(join(root, 'node_modules', from, file), 'utf8')
    const fields =
      new RegExp(`interface ${type}\\b[^{]*\\{\\n(.*?)\\n\\}`, 's').exec(types)?.[1] ?? ''
    const named = [...fields.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = '']) => name)
    const { properties } = uploadShapes.definitions[shape] as { readonly properties: object }
    const ours = new Set(Object.keys(properties).map((name) => name.replace(/\[.*/, '')))
    expect([...ours, ...headers].toSorted()).toEqual(named.toSorted())
  },
)

// After a change of the tables: pnpm exec vitest run --update --project workspace test/doubles
test('the page shows the rules, with their sources', async () => {
  const shapes = readShapes().map(({ $id, source }) => [$id, source] as const)
  await expect(toPage(shapes)).toMatchFileSnapshot(join(root, 'evidence/doubles.md'))
})
