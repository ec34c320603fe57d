import { mkdtemp, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { serve } from '@modelport/serve/node'
import type { RunRecord, StudioInfo } from '@modelport/studio'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildPage } from '../../studio/build-page.mjs'
import { type OpenedStudio, openStudio } from './open-studio.js'
import { useModel } from './set-up.js'
import { startCommand } from './test-io.js'
import { key, writeTools } from './wire.js'

const { home, server } = useModel({
  fields: 'profile: {prices: {input: 3, output: 15}}',
})

beforeAll(() => buildPage(new URL('../../studio/dist/page', import.meta.url).pathname))

const open = (args: readonly string[] = [], where: string = home.path): Promise<OpenedStudio> =>
  openStudio(args, { home: where, environment: { MY_KEY: key } })

describe('studio', () => {
  test('the command studio chats with the configured model, shows its requests without the key, and keeps the run in a private file', async () => {
    const { running, ask, settled } = await open()
    const info = await ask<StudioInfo>('/api/info')
    expect(info.models.map(({ id }) => id)).toContain('demo')
    const [model] = info.models
    expect(model?.hosts).toHaveLength(1)
    const { id } = await ask<RunRecord>('/api/runs', {
      model: model?.id,
      tools: [],
      messages: [{ role: 'user', content: `Hello, my key is ${key}` }],
    })
    expect(await settled(id)).toMatchObject({ status: 'final' })
    await expect
      .poll(async () => JSON.stringify(await ask(`/api/runs/${id}/exchanges`)))
      .toContain('/chat/completions')
    expect(JSON.stringify(await ask(`/api/runs/${id}/exchanges`))).not.toContain(key)
    const cassette = await ask(`/api/runs/${id}/cassette`)
    const requests = server.requests.length
    const opened = await ask<StudioInfo['models'][number]>('/api/cassettes', cassette)
    expect(opened.hosts).toEqual([])
    const replay = async (content: string, more: object = {}): Promise<RunRecord> => {
      const messages = [{ role: 'user', content }]
      return settled(
        (await ask<RunRecord>('/api/runs', { model: opened.id, messages, ...more })).id,
      )
    }
    // Options, tools and instructions are part of the request too.
    const others = { temperature: 0.1, system: 'Be brief.' }
    const { error } = await replay('Hello, my key is [redacted]', { options: others })
    expect(error?.message).toContain('cassette: the request is not the recorded one')
    expect(error?.message).toContain('/temperature: expected nothing, sent 0.1')
    expect(error?.message).toContain('Be brief.')
    expect(await replay('Hello, my key is [redacted]')).toMatchObject({ status: 'final' })
    expect((await replay('Again')).error).toEqual({
      code: 'invalid-request',
      message:
        'openai-compatible: invalid-request: cassette: the request is not the recorded one\n  /messages/0/content: expected "Hello, my key is [redacted]", sent "Again"',
    })
    expect(server.requests).toHaveLength(requests)
    expect(await ask('/api/hosts')).toEqual([
      expect.objectContaining({ host: model?.hosts[0], usedBy: model?.id, purpose: 'api' }),
    ])
    const deno = await ask<{ text: string; notes: readonly string[] }>('/api/allow-lists/deno')
    expect(deno.text).toContain(model?.hosts[0])
    expect(deno.notes).toContain('The program may read the variable MY_KEY.')
    running.interrupt()
    expect((await running.done).code).toBe(0)
    expect((await stat(join(home.path, '.local/state/modelport/studio.db'))).mode & 0o777).toBe(
      0o600,
    )
  })

  test.each([
    ['a list', []],
    ['a cassette without requests', { version: 1, exchanges: [] }],
    [
      'a cassette of another program',
      {
        version: 1,
        exchanges: [
          {
            request: { method: 'GET', url: 'http://127.0.0.1/x', headers: {} },
            response: { status: 200, headers: {}, chunks: [] },
          },
        ],
      },
    ],
  ])('the command studio refuses to open %s as a cassette', async (_what, stored) => {
    const { running, ask } = await open(['--memory'])
    expect(await ask('/api/cassettes', stored)).toMatchObject({ error: { code: 'config' } })
    running.interrupt()
    await running.done
  })

  test('the command studio talks to an agent at its address, and offers the tools of an MCP server', async () => {
    const agent = await serve([
      createAgent({
        card: { name: 'echo', description: 'Says hello' },
        provider: createMock({ responses: ['Hello!'] }),
      }),
    ])
    const fixture = new URL('../../studio/test/fixtures/mcp-server.mjs', import.meta.url).pathname
    const mcp = `${process.execPath} ${fixture}`
    const { running, ask } = await open(['--memory', '--agent', agent.url, '--mcp', mcp])
    expect((await ask<StudioInfo>('/api/info')).models.at(-1)).toMatchObject({
      id: agent.url,
      provider: 'agent',
    })
    expect(await ask('/api/agents/card', { model: agent.url })).toMatchObject({ name: 'echo' })
    expect(await ask('/api/hosts')).toContainEqual({
      host: new URL(agent.url).host,
      usedBy: agent.url,
      purpose: 'agent',
    })
    expect(await ask<unknown[]>('/api/sources/tools', { source: mcp })).toHaveLength(2)
    expect(
      await ask('/api/sources/call', { source: mcp, tool: 'add', args: { a: 2, b: 40 } }),
    ).toMatchObject({
      ok: true,
      result: expect.stringMatching(/^\[from MCP server ".*"\]\n42$/) as string,
    })
    expect(await ask('/api/sources/call', { source: mcp, tool: 'none', args: {} })).toMatchObject({
      error: { code: 'config' },
    })
    running.interrupt()
    expect((await running.done).code).toBe(0)
    await agent.close()
  })

  test('the command studio lists and calls the tool of --tools, and not the one of the demo with its name', async () => {
    const { running, ask } = await open(['--memory', '--tools', writeTools(home.path)])
    const source = 'this machine'
    expect(await ask('/api/sources/tools', { source })).toMatchObject([
      { name: 'get_weather', description: 'The weather' },
    ])
    const call = { source, tool: 'get_weather', args: { city: 'Oslo' } }
    expect(await ask('/api/sources/call', call)).toMatchObject({
      ok: true,
      result: { city: 'Oslo', degrees: 28 },
    })
    running.interrupt()
    await running.done
  })

  test.each([
    [
      'a token for two agents',
      ['--agent', 'http://a.example', 'http://b.example', '--token-env', 'MY_KEY'],
    ],
    [
      'a token whose variable is not set',
      ['--agent', 'http://a.example', '--token-env', 'NOT_SET'],
    ],
    ['an MCP server without a name', ['--mcp', ' ']],
  ])('the command studio refuses %s', async (_what, args) => {
    const world = { home: home.path, environment: { MY_KEY: key } }
    expect((await startCommand(['studio', '--memory', ...args], world).done).code).toBe(2)
  })

  test('the command studio names a port that is taken, and closes the file of the runs', async () => {
    const { port } = new URL(server.url)
    const folder = await mkdtemp(join(tmpdir(), 'modelport-cli-'))
    const file = join(folder, 'runs.db')
    const args = ['studio', '--file', file, '--port', port]
    const { code, err } = await startCommand(args, { home: folder }).done
    expect(code).toBe(1)
    expect(err).toBe(
      `error: port ${port} is taken; choose another with --port, or end the program that uses it\n`,
    )
    // SQLite removes its log when the last connection is closed.
    expect(await readdir(folder)).toEqual(['runs.db'])
  })

  test('the command studio works without a configuration: the demo model needs no key', async () => {
    const { running, ask } = await open(
      ['--memory'],
      await mkdtemp(join(tmpdir(), 'modelport-cli-')),
    )
    expect((await ask<StudioInfo>('/api/info')).models.map(({ id }) => id)).toEqual(['demo'])
    running.interrupt()
    await running.done
  })

  test('the command studio prints two lines with which a program may send its spans', async () => {
    let seen = ''
    const running = startCommand(['studio', '--memory'], {
      home: home.path,
      onOutput: (text) => (seen += text),
    })
    await expect.poll(() => seen, { interval: 10 }).toContain('HEADERS=')
    const [, endpoint = ''] = /^export OTEL_EXPORTER_OTLP_ENDPOINT=(\S+)$/m.exec(seen) ?? []
    const [, name = '', value = ''] =
      /^export OTEL_EXPORTER_OTLP_HEADERS=(\w+)=(\S+)$/m.exec(seen) ?? []
    const headers = { 'content-type': 'application/json', [name]: decodeURIComponent(value) }
    const response = await fetch(`${endpoint}/v1/traces`, { method: 'POST', body: '{}', headers })
    expect(await response.text()).toBe('{}')
    running.interrupt()
    await running.done
  })

  test('the command studio prints another address at each Enter in the terminal, and each works once', async () => {
    let seen = ''
    const running = startCommand(['studio', '--memory'], {
      home: home.path,
      onOutput: (text) => (seen += text),
    })
    const printed = (): string[] => seen.match(/^studio: \S+$/gm) ?? []
    await expect.poll(printed).toHaveLength(1)
    expect(seen).toContain('Press Enter for another address')
    running.type('\n')
    await expect.poll(printed).toHaveLength(2)
    for (const line of printed()) {
      const { origin, hash } = new URL(line.replace('studio: ', ''))
      const exchange = (): Promise<Response> =>
        fetch(`${origin}/api/session`, {
          method: 'POST',
          body: JSON.stringify({ token: hash.replace('#token=', '') }),
        })
      expect([(await exchange()).status, (await exchange()).status]).toEqual([200, 403])
    }
    running.interrupt()
    expect((await running.done).code).toBe(0)
  })
})
