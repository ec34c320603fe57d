import { fileURLToPath } from 'node:url'
import type { ToolCall } from '@modelport/core'
import { mcpTools } from '@modelport/mcp'
import { executeBatch, type ToolSource } from '@modelport/runtime'
import { expect, test } from 'vitest'
import type { McpProgress } from '../src/settings.js'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const server = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [here(`../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
})

async function call(source: ToolSource, name: string, args = {}): Promise<string> {
  const one: ToolCall = { id: 'c1', name, arguments: args, argumentsText: JSON.stringify(args) }
  let text = ''
  const onResult = (_call: unknown, result: { readonly content: unknown }) =>
    void (text = JSON.stringify(result.content))
  await executeBatch([one], { tools: await source.tools(), step: 1, onResult })
  return text
}

test('server-everything: text, structure, an image, progress, resources and a prompt', async () => {
  const progress: McpProgress[] = []
  const onProgress = (news: McpProgress) => void progress.push(news)
  const source = mcpTools({ name: 'all', transport: server('everything', 'stdio'), onProgress })
  expect(await call(source, 'get-sum', { a: 2, b: 40 })).toBe(
    '"[from MCP server \\"all\\"]\\nThe sum of 2 and 40 is 42."',
  )
  expect(await call(source, 'get-structured-content', { location: 'New York' })).toContain(
    'temperature',
  )
  expect(await call(source, 'get-tiny-image')).toContain('"type":"image"')
  await call(source, 'trigger-long-running-operation', { duration: 0.1, steps: 2 })
  expect(progress).toContainEqual(expect.objectContaining({ progress: 1, total: 2 }))
  const [first] = await source.resources()
  expect(await source.readResource(first?.uri ?? '')).toMatchObject([{ type: 'text' }])
  expect((await source.resourceTemplates()).length).toBeGreaterThan(0)
  expect((await source.prompt('simple-prompt')).text).toBe(
    'This is a simple prompt without arguments.',
  )
  await source.close()
})

test('server-filesystem: a file is read, and one outside its folder is refused', async () => {
  const folder = here('fixtures')
  const source = mcpTools({
    name: 'files',
    transport: server('filesystem', folder),
    only: ['read_text_file'],
  })
  expect(await call(source, 'read_text_file', { path: `${folder}/of-today.mjs` })).toContain(
    'An MCP server',
  )
  expect(await call(source, 'read_text_file', { path: '/etc/hosts' })).toContain('Access denied')
  await source.close()
})
