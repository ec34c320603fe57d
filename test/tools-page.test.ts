// The examples of docs/tools.md type-check, and those that need no MCP server run.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startChatServer } from './support/chat-server.js'
import { readJson, readText, root } from './support/repository.js'

// Beside the package, so that its dependencies are found.
const folder = join(root, 'packages/runtime/.cache/docs')
const examples = [...readText('docs/tools.md').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], index) => ({ code, file: join(folder, `tools-${index + 1}.ts`) }))

describe('the examples of docs/tools.md', () => {
  let server: Awaited<ReturnType<typeof startChatServer>>

  beforeAll(async () => {
    server = await startChatServer()
    mkdirSync(folder, { recursive: true })
    for (const { code, file } of examples) writeFileSync(file, code.replace(/baseUrl: '[^']*'/g, `baseUrl: '${server.baseUrl}'`))
  })
  afterAll(() => server.close())

  test('type-check', () => {
    const { tsBuildInfoFile: _, ...options } = ts.parseJsonConfigFileContent(readJson('tsconfig.test.json'), ts.sys, root).options
    const program = ts.createProgram({ rootNames: examples.map(({ file }) => file), options: { ...options, composite: false, incremental: false, noEmit: true } })
    const problems = examples.flatMap(({ file }) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  })

  test.each(examples.filter(({ code }) => !code.includes('mcpTools')).map(({ file }, index) => [index + 1, file] as const))('number %i runs', async (_number, file) => {
    const before = server.requests.length
    const log = vi.spyOn(console, 'log').mockReturnValue()
    try {
      await import(/* @vite-ignore */ file)
      expect(log.mock.lastCall?.at(-1)).toBe('Because of the light.')
    } finally {
      log.mockRestore()
    }
    expect(server.requests.length - before).toBe(2)
  })
})
