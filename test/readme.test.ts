import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { closure } from '../scripts/install-size.mjs'
import { discoverWorkspaces } from '../scripts/workspaces.mjs'
import { startChatServer } from './support/chat-server.js'
import { docBlocks, writePage } from './support/doc-blocks.js'
import { createDocModel } from './support/doc-model.js'
import { expectPrinted, printedBy } from './support/doc-run.js'
import { readText } from './support/repository.js'

const readme = readText('README.md')
const workspaces = discoverWorkspaces()

const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code)

/** Written without this repository's own code: what the page shows works with a server that knows nothing of modelport. */
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
  const examples = docBlocks('README.md').map((block, index) => ({ ...block, file: files[index] ?? '' }))

  test.each(examples)('line $line prints what the page says', async ({ file, ...block }) => {
    const before = server.requests.length
    model.script(block.replies)
    expectPrinted(block, await printedBy(file))
    expect(server.requests.length).toBeGreaterThan(before)
  })
})

describe('README.md', () => {
  test('has at most 165 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(166)
  })

  test('lists every package, and no other', () => {
    const listed = [...readme.matchAll(/^\| `(@modelport\/[a-z-]+)` \|/gm)].map(([, name]) => name)
    const published = workspaces
      .filter(({ path, isPrivate }) => path.startsWith('packages/') && !isPrivate)
      .map(({ name }) => name)
    expect(listed.sort()).toEqual(published.sort())
  })

  test.each([
    ['provider-openai-compatible', 'one provider: 6 packages'],
    ['runtime', '`runtime`: 7 packages'],
    ['durable', '`durable`: 14 packages'],
    ['studio', '`studio`: 15 packages'],
    ['cli', '`cli`, with every vendor: 88 packages'],
  ])('says how many packages npm installs with %s', (shortName, text) => {
    const { dir } = workspaces.find((one) => one.shortName === shortName)!
    expect(text).toContain(` ${closure(dir).found.size + 1} packages`)
    expect(readme).toContain(text)
  })

  test('gives only commands that the full check runs, and installs only packages that exist', () => {
    const commands = blocks('sh').flatMap((block) => block.trim().split('\n'))
    expect(commands).toEqual(expect.arrayContaining(['npm run demo', 'npm test']))
    const names = workspaces.map(({ name }) => name)
    for (const command of commands) {
      const installs = /^npm install (.*)$/.exec(command)?.[1]
      if (installs) expect(names).toEqual(expect.arrayContaining(installs.split(' ')))
      else expect(readText('.ci/run')).toContain(command)
    }
  })
})
