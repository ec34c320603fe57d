import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { closure } from '../scripts/install-size.ts'
import { discoverWorkspaces } from '../scripts/workspaces.ts'
import { startChatServer } from './support/chat-server.js'
import { docBlocks, writePage } from './support/doc-blocks.js'
import { createDocModel } from './support/doc-model.js'
import { expectPrinted, printedBy } from './support/doc-run.js'
import { readText, repositoryFiles } from './support/repository.js'

const readme = readText('README.md')
const menu = readText('docs/README.md')
const workspaces = discoverWorkspaces()

/** What npm installs with a package. */
const closureOf = (shortName: string) =>
  closure(workspaces.find((one) => one.shortName === shortName)!.dir)
const packagesOf = (shortName: string): number => closureOf(shortName).found.size + 1

const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code = '']) => code,
  )

/**
 * Written without this repository's own code: what the page shows works with a server that knows
 * nothing of modelport.
 */
const model = createDocModel()
const server = await startChatServer(model)
afterAll(() => {
  server.close()
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('the examples of README.md', () => {
  const files = writePage('readme', 'README.md', (code) =>
    code.replace(/baseUrl: '[^']*'/g, `baseUrl: '${server.baseUrl}'`),
  )
  const examples = docBlocks('README.md').map((block, index) => ({
    ...block,
    file: files[index] ?? '',
  }))

  test.each(examples)('line $line prints what the page says', async ({ file, ...block }) => {
    const before = server.requests.length
    model.script(block.replies)
    expectPrinted(block, await printedBy(file))
    expect(server.requests.length).toBeGreaterThan(before)
  })
})

describe('README.md', () => {
  test('README.md has at most 130 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(131)
  })

  test.each([
    'core',
    'provider-openai-compatible',
    'factory',
    'conformance',
    'runtime',
    'dialog',
    'agent',
    'serve',
    'durable',
    'mcp',
    'studio',
  ])('README.md says how many packages npm installs with %s', (shortName) => {
    const row = readme
      .split('\n')
      .find((line) => line.includes(` | \`@modelport/${shortName}\` | `))
    expect(row).toMatch(new RegExp(`\\| ${packagesOf(shortName)} packages? \\|$`))
  })

  test('README.md says how many packages a provider and the runtime are together', () => {
    const together = new Set(
      ['runtime', 'provider-openai-compatible'].flatMap((name) => [...closureOf(name).found]),
    )
    expect(readme).toContain(`with a provider ${together.size + 2} |`)
  })

  test('README.md says how many lines the provider of your own has', () => {
    const block = docBlocks('docs/custom-provider.md').find(
      ({ name }) => name === 'house-provider.ts',
    )
    const lines = readText('examples/custom-provider/src/house-provider.ts')
      .trim()
      .split('\n').length
    expect(readme).toContain(`[${lines} lines](docs/custom-provider.md)`)
    expect(block?.code.trim().split('\n')).toHaveLength(lines)
  })

  test('README.md gives only commands that the full check runs, and installs only packages that exist', () => {
    // The check runs the program of `npm test` under the Node that it has fetched already.
    const fullCheck = readText('.ci/run') + readText('scripts/ci.mjs')
    const commands = blocks('sh').flatMap((block) => block.trim().split('\n'))
    expect(commands).toEqual(expect.arrayContaining(['npm run demo', 'npm test']))
    const names = workspaces.map(({ name }) => name)
    for (const command of commands) {
      const installs = /^npm install (.*)$/.exec(command)?.[1]
      if (installs) expect(names).toEqual(expect.arrayContaining(installs.split(' ')))
      else expect(fullCheck).toContain(command === 'npm test' ? 'programs.test' : command)
    }
  })
})

describe('docs/README.md', () => {
  test('docs/README.md lists every package, and no other', () => {
    const listed = [...menu.matchAll(/^\| `(@modelport\/[a-z-]+)` \|/gm)].map(([, name]) => name)
    const published = workspaces
      .filter(({ path, isPrivate }) => path.startsWith('packages/') && !isPrivate)
      .map(({ name }) => name)
    expect(listed.sort()).toEqual(published.sort())
  })

  test('every package says on the first line of its README how settled it is, as docs/semver.md does', () => {
    const rows = [
      ...readText('docs/semver.md').matchAll(/^\| (stable|settling|young) \| ([^|]+) \|/gm),
    ]
    const tiers = rows.flatMap(([, tier = '', names = '']) =>
      [...names.matchAll(/`([a-z0-9-]+)(\*?)`/g)].map(([, name = '', rest]) => ({
        tier,
        name,
        rest,
      })),
    )
    for (const { path } of workspaces.filter(({ path }) => path.startsWith('packages/'))) {
      const name = path.slice('packages/'.length)
      const own = tiers.filter((row) => (row.rest ? name.startsWith(row.name) : name === row.name))
      const line = /^# .*\n\n\*\*(\w+)\.\*\* /.exec(readText(`${path}/README.md`))?.[1]
      expect([line?.toLowerCase()], path).toEqual(own.map(({ tier }) => tier))
    }
  })

  test('docs/README.md leads to every page', () => {
    const pages = repositoryFiles().filter((path) =>
      /^docs\/(?:guides\/|providers\/)?[\w-]+\.md$/.test(path),
    )
    const missing = pages.filter(
      (path) => path !== 'docs/README.md' && !menu.includes(`(${path.slice('docs/'.length)})`),
    )
    expect(missing).toEqual([])
  })

  test('evidence/README.md leads to every list and measurement', () => {
    const list = readText('evidence/README.md')
    const names = repositoryFiles().flatMap(
      (path) => /^evidence\/(?!README)(.+\.md)$/.exec(path)?.[1] ?? [],
    )
    expect(names).not.toEqual([])
    expect(names.filter((name) => !list.includes(`(${name})`))).toEqual([])
  })

  test.each([
    ['provider-openai-compatible', 'one provider: '],
    ['runtime', '`runtime`: '],
    ['durable', '`durable`: '],
    ['studio', '`studio`: '],
    ['cli', '`cli`, with every vendor: '],
  ])('docs/README.md says how many packages npm installs with %s', (shortName, text) => {
    expect(menu).toContain(`${text}${packagesOf(shortName)} packages`)
  })
})
