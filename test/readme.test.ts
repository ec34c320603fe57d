import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { closure } from '../scripts/install-size.mjs'
import { discoverWorkspaces } from '../scripts/workspaces.mjs'
import { startChatServer } from './support/chat-server.js'
import { readJson, readText, root } from './support/repository.js'

const readme = readText('README.md')
const workspaces = discoverWorkspaces()

const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code)

// An example stands for what a reader would save as a file of their own; it lands in an ignored folder.
const folder = join(root, '.cache/readme')
const examples = blocks('ts').map((code, index) => ({ code, file: join(folder, `example-${index + 1}.ts`) }))

describe('the examples of README.md', () => {
  let server: Awaited<ReturnType<typeof startChatServer>>

  beforeAll(async () => {
    server = await startChatServer()
    mkdirSync(folder, { recursive: true })
    for (const { code, file } of examples) {
      writeFileSync(file, code.replace(/baseUrl: '[^']*'/g, `baseUrl: '${server.baseUrl}'`))
    }
  })
  afterAll(() => {
    server.close()
  })

  test('type-check', () => {
    const { tsBuildInfoFile: _, ...options } = ts.parseJsonConfigFileContent(
      readJson('tsconfig.test.json'),
      ts.sys,
      root,
    ).options
    const program = ts.createProgram({
      rootNames: examples.map(({ file }) => file),
      options: { ...options, composite: false, incremental: false, noEmit: true },
    })
    const problems = examples.flatMap(({ file }) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  })

  test.each(examples.map(({ file }, index) => [index + 1, file] as const))('number %i runs', async (_number, file) => {
    const before = server.requests.length
    const log = vi.spyOn(console, 'log').mockReturnValue()
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      await import(/* @vite-ignore */ file)
    } finally {
      log.mockRestore()
      write.mockRestore()
    }
    expect(server.requests.length).toBeGreaterThan(before)
  })
})

describe('README.md', () => {
  test('has at most 150 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(151)
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
