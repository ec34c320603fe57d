import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { isLlmError, type ToolCall } from '@modelport/core'
import { definePrompt } from '@modelport/dialog'
import { type McpSettings, mcpTools } from '@modelport/mcp'
import { executeBatch, type ToolOutcome, type ToolSource } from '@modelport/runtime'
import { expect, test } from 'vitest'
import { z } from 'zod'

const token = 'a-token-that-nobody-may-read'

/** A server with resources and prompts that tell the token, and one without. */
function open(settings: Partial<McpSettings> = {}, isEmpty = false) {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' })
    server.registerTool('noop', { description: 'Nothing' }, () => ({ content: [] }))
    if (isEmpty) return server
    server.registerResource(
      'today',
      'note://today',
      { description: `of ${token}`, mimeType: 'text/plain' },
      (uri) => ({
        contents: [
          { uri: uri.href, text: `buy milk with ${token}` },
          { uri: 'note://list.pdf', blob: 'AAAA', mimeType: 'application/pdf' },
        ],
      }),
    )
    server.registerResource(
      'day',
      new ResourceTemplate('note://{day}', { list: undefined }),
      {},
      (uri) => ({
        contents: [{ uri: uri.href, text: `the note of ${uri.host}` }],
      }),
    )
    server.registerPrompt(
      'brief',
      { description: 'Briefs', argsSchema: z.object({ topic: z.string() }) },
      ({ topic }) => ({
        messages: [
          {
            role: 'user',
            content: { type: 'text', text: `Say {this} about ${topic} and ${token}` },
          },
          { role: 'assistant', content: { type: 'text', text: 'Short or long?' } },
          { role: 'user', content: { type: 'text', text: 'Short.' } },
        ],
      }),
    )
    return server
  })
  return mcpTools({
    name: 'notes',
    transport: {
      url: 'https://mcp.example/mcp',
      headers: { authorization: `Bearer ${token}` },
      fetch: (input, init) => handler.fetch(new Request(input, init)),
    },
    ...settings,
  })
}

async function call(source: ToolSource, name: string, args = {}): Promise<ToolOutcome> {
  const one: ToolCall = { id: 'c1', name, arguments: args, argumentsText: JSON.stringify(args) }
  let outcome: ToolOutcome | undefined
  await executeBatch([one], {
    tools: await source.tools(),
    step: 1,
    onResult: (_call, _result, its) => (outcome = its),
  })
  return outcome as ToolOutcome
}
const failure = async (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (isLlmError(error) ? `${error.code}: ${error.message}` : String(error)),
  )

test('the resources of an MCP server are listed and read as content parts, without its credentials', async () => {
  const source = open()
  expect(await source.resources()).toMatchObject([
    { name: 'today', uri: 'note://today', description: 'of [redacted]' },
  ])
  expect(await source.resourceTemplates()).toMatchObject([
    { name: 'day', uriTemplate: 'note://{day}' },
  ])
  expect(await source.readResource('note://today')).toEqual([
    { type: 'text', text: 'buy milk with [redacted]' },
    {
      type: 'file',
      source: { type: 'base64', data: 'AAAA', mediaType: 'application/pdf' },
      name: 'list.pdf',
    },
  ])
  expect(await failure(source.readResource('other://x'))).toMatch(
    /^protocol: MCP server "notes": .*not found/i,
  )
  await source.close()
  const short = open({ maxResultLength: 20 })
  expect(await failure(short.readResource('note://today'))).toMatch(
    /^limit-exceeded: MCP server "notes": resource "note:\/\/today" has \d+ characters, and at most 20 are taken/,
  )
  await short.close()
})

test('a model finds and reads the resources by two tools, if the application offers them', async () => {
  const source = open({ resourceTools: true, prefix: 'n_' })
  const names = (await source.tools()).map(({ definition }) => definition.name)
  expect(names).toEqual(['n_noop', 'n_list_resources', 'n_read_resource'])
  const listed = await call(source, 'n_list_resources')
  expect(JSON.stringify(listed)).toMatch(/note:\/\/today.*note:\/\/\{day\}/)
  expect(JSON.stringify(await call(source, 'n_read_resource', { uri: 'note://friday' }))).toContain(
    'the note of friday',
  )
  await source.close()
})

test('a prompt of an MCP server is an entry of definePrompt, and messages', async () => {
  const source = open()
  expect(await source.prompts()).toMatchObject([
    { name: 'brief', arguments: [{ name: 'topic', required: true }] },
  ])
  const { path, text, messages } = await source.prompt('brief', { topic: 'tea' })
  expect(definePrompt({ path, text }).render({})).toBe(
    'Say {this} about tea and [redacted]\n\nShort.',
  )
  expect([path, messages.map(({ role }) => role)]).toEqual([
    'notes/brief',
    ['user', 'assistant', 'user'],
  ])
  expect(await failure(source.prompt('brief'))).toMatch(/^protocol: MCP server "notes": /)
  await source.close()
})

test('a server without resources and prompts has none', async () => {
  const source = open({ resourceTools: true }, true)
  expect([
    await source.resources(),
    await source.resourceTemplates(),
    await source.prompts(),
  ]).toEqual([[], [], []])
  expect((await source.tools()).map(({ definition }) => definition.name)).toEqual(['noop'])
  expect(await failure(source.readResource('note://x'))).toBe(
    'config: MCP server "notes" has no resources',
  )
  expect(await failure(source.prompt('brief'))).toBe('config: MCP server "notes" has no prompts')
  await source.close()
})
