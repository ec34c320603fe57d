import { definePrompt } from '@modelport/dialog'
import { type ServeMcpOptions, serveMcp } from '@modelport/mcp/server'
import { defineTool, type Tool, ToolFailure } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { clientOf, eras, failure, overStdio, textsOf } from './support.js'

const weigh = defineTool({
  name: 'weigh',
  description: 'Weighs',
  parameters: z.object({ what: z.string() }),
  readOnly: true,
  execute: ({ what }) => ({ what, grams: 5 }),
})

describe.each(eras)('an MCP server (%s)', (era) => {
  const connect = async (options: Partial<ServeMcpOptions>) => {
    const server = serveMcp({ name: 'scales', ...options })
    const client = clientOf(era)
    const { left } = await overStdio(server, client)
    return { server, client, left }
  }

  test('lists a tool with its schema and its hints, and gives its result as text and as structure', async () => {
    const { client } = await connect({
      tools: [weigh],
      version: '2.0.0',
      instructions: 'Weigh things',
    })
    expect(client.getServerVersion()).toEqual({ name: 'scales', version: '2.0.0' })
    expect(client.getInstructions()).toBe('Weigh things')
    const { tools } = await client.listTools()
    expect(tools).toEqual([
      {
        name: 'weigh',
        description: 'Weighs',
        inputSchema: {
          type: 'object',
          properties: { what: { type: 'string' } },
          required: ['what'],
        },
        annotations: { readOnlyHint: true, destructiveHint: false },
      },
    ])
    const result = await client.callTool({ name: 'weigh', arguments: { what: 'tea' } })
    expect(result.content).toEqual([{ type: 'text', text: '{"what":"tea","grams":5}' }])
    expect(result.structuredContent).toEqual({ what: 'tea', grams: 5 })
  })

  test('a call whose reply is lost is not shown as a failure: a client would call again', async () => {
    const errors: unknown[] = []
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      execute: () => {
        throw Object.assign(new Error('socket hang up at 10.0.0.7'), { code: 'ECONNRESET' })
      },
    })
    const { client } = await connect({ tools: [pay], onError: (error) => void errors.push(error) })
    const result = await client.callTool({ name: 'pay', arguments: {} })
    expect([result.isError, textsOf(result)]).toEqual([
      true,
      'The tool "pay" gave no result, and whether it had an effect is unknown; the operator of the server can see why',
    ])
    expect(errors).toHaveLength(1)
  })

  test('wrong arguments and failures are results, a caller is not shown what a tool throws, and an unknown tool is an error', async () => {
    const broken = defineTool({
      name: 'broken',
      description: 'Breaks',
      execute: () => {
        throw new Error('connect ECONNREFUSED postgres://admin:hunter2@db.internal')
      },
    })
    const full = defineTool({
      name: 'full',
      description: 'Says what is wrong',
      execute: () => {
        throw new ToolFailure('the scales are full')
      },
    })
    const unchecked: Tool = {
      ...weigh,
      definition: { name: 'unchecked', description: 'Checks nothing' },
      validate: () => {
        throw new Error('no schema at /srv/secret')
      },
    }
    const errors: unknown[] = []
    const { client } = await connect({
      tools: [weigh, broken, full, unchecked],
      onError: (error) => void errors.push((error as Error).message),
    })
    const wrong = await client.callTool({ name: 'weigh', arguments: { what: 5 } })
    expect(wrong.isError).toBe(true)
    expect(textsOf(wrong)).toContain(
      'The arguments for the tool "weigh" are not valid and it was not executed: what',
    )
    const failed = await client.callTool({ name: 'broken', arguments: {} })
    expect([failed.isError, textsOf(failed)]).toEqual([
      true,
      'The tool "broken" failed; the operator of the server can see why',
    ])
    const said = await client.callTool({ name: 'full', arguments: {} })
    expect([said.isError, textsOf(said)]).toEqual([true, 'the scales are full'])
    expect(textsOf(await client.callTool({ name: 'unchecked', arguments: {} }))).toBe(
      'The tool "unchecked" failed; the operator of the server can see why',
    )
    expect(errors).toEqual([
      'connect ECONNREFUSED postgres://admin:hunter2@db.internal',
      'no schema at /srv/secret',
    ])
    expect(await failure(client.callTool({ name: 'weight', arguments: {} }))).toBe(
      '-32602: Unknown tool: weight',
    )
  })

  test('reports progress, which only grows, and takes the result of a generator', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time',
      execute: async function* () {
        for (const value of [
          { progress: 5, total: 10, message: 'half' },
          { progress: 2 },
          'nearly',
          7,
        ]) {
          yield value
          await new Promise((resolve) => setTimeout(resolve, 60))
        }
        return 'done'
      },
    })
    const { client } = await connect({ tools: [slow] })
    const news: unknown[] = []
    const onprogress = (given: unknown) => void news.push(given)
    expect(textsOf(await client.callTool({ name: 'slow', arguments: {} }, { onprogress }))).toBe(
      'done',
    )
    expect(news).toEqual([
      { progress: 5, total: 10, message: 'half' },
      { progress: 6, message: 'nearly' },
      { progress: 7, message: '7' },
    ])
    expect(textsOf(await client.callTool({ name: 'slow', arguments: {} }))).toBe('done')
  })

  test('aborts a tool whose caller cancels, and ends one whose time is up', async () => {
    const seen: string[] = []
    const waiting = (name: string, timeoutMs: number) =>
      defineTool({
        name,
        description: 'Waits',
        timeoutMs,
        execute: (_args, { signal }) => {
          seen.push('begun')
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              seen.push('aborted')
              reject(signal.reason as Error)
            })
          })
        },
      })
    const { client } = await connect({ tools: [waiting('wait', 60_000), waiting('short', 20)] })
    const abort = new AbortController()
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: abort.signal })
    call.catch(() => undefined)
    await expect.poll(() => seen).toEqual(['begun'])
    abort.abort()
    await expect.poll(() => seen).toEqual(['begun', 'aborted'])
    const late = await client.callTool({ name: 'short', arguments: {} })
    expect([late.isError, textsOf(late)]).toEqual([
      true,
      'The tool "short" did not answer within 20 ms; whether it had an effect is unknown.',
    ])
  })

  test('pages long lists, and refuses a cursor of another list', async () => {
    const tools = Array.from({ length: 250 }, (_, index) =>
      defineTool({ name: `t${index}`, description: 'One of many', execute: () => index }),
    )
    const { client } = await connect({ tools })
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ definition }) => definition.name))
    const refused = '-32602: The cursor is not one of this list; list from the start'
    expect(await failure(client.request({ method: 'tools/list', params: { cursor: '7' } }))).toBe(
      refused,
    )
    expect(await failure(client.request({ method: 'tools/list', params: { cursor: 'x' } }))).toBe(
      refused,
    )
  })

  test('a client gets prompts with their arguments filled in, those of definePrompt too', async () => {
    const { client } = await connect({
      prompts: [
        definePrompt({ path: 'research/ask', text: 'What is {topic}? {{short}}' }),
        {
          name: 'greet',
          description: 'Greets',
          arguments: [{ name: 'who', description: 'Whom' }],
          fill: ({ who = 'you' }, { principal }) => [
            { role: 'user', content: `Greet ${who} for ${principal}` },
            { role: 'assistant', content: 'Hello' },
          ],
        },
      ],
    })
    expect((await client.listPrompts()).prompts).toEqual([
      { name: 'research/ask', arguments: [{ name: 'topic', required: true }] },
      { name: 'greet', description: 'Greets', arguments: [{ name: 'who', description: 'Whom' }] },
    ])
    const asked = await client.getPrompt({ name: 'research/ask', arguments: { topic: 'tea' } })
    expect(asked.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'What is tea? {short}' } },
    ])
    expect((await client.getPrompt({ name: 'greet' })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Greet you for local' } },
      { role: 'assistant', content: { type: 'text', text: 'Hello' } },
    ])
    const get = (name: string, args: Record<string, string>) =>
      failure(client.getPrompt({ name, arguments: args }))
    expect(await get('research/ask', {})).toBe('-32602: Missing arguments: topic')
    expect(await get('greet', { whom: 'x' })).toBe('-32602: Unknown arguments: whom')
    expect(await get('nothing', {})).toBe('-32602: Unknown prompt: nothing')
  })

  test('a client reads resources and patterns of addresses, and is not shown why one failed', async () => {
    const errors: string[] = []
    const { client } = await connect({
      resources: [
        { uri: 'note://today', name: 'today', read: () => 'Buy tea' },
        {
          uri: 'note://picture',
          name: 'picture',
          mimeType: 'image/png',
          read: () => new Uint8Array([1, 2, 3]),
        },
        {
          uri: 'note://days/{day}',
          name: 'day',
          read: ({ day = '' }) => (day === 'monday' ? 'Rest' : undefined),
        },
        {
          uri: 'note://broken',
          name: 'broken',
          read: () => {
            throw new Error('the password is hunter2')
          },
        },
      ],
      onError: (error) => errors.push((error as Error).message),
    })
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'note://today',
      'note://picture',
      'note://broken',
    ])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: 'note://days/{day}', name: 'day' },
    ])
    const read = async (uri: string) => (await client.readResource({ uri })).contents
    expect(await read('note://today')).toEqual([
      { uri: 'note://today', mimeType: 'text/plain', text: 'Buy tea' },
    ])
    expect(await read('note://picture')).toEqual([
      { uri: 'note://picture', mimeType: 'image/png', blob: 'AQID' },
    ])
    expect(await read('note://days/monday')).toMatchObject([{ text: 'Rest' }])
    expect(await failure(read('note://days/sunday'))).toContain('-32602: ')
    expect(await failure(read('note://broken'))).toBe(
      '-32603: The resource failed; the operator of the server can see why',
    )
    expect(errors).toEqual(['the password is hunter2'])
  })

  test('the user of the client is asked what a tool asks, and the answer counts', async () => {
    const ordered: unknown[] = []
    const order = defineTool({
      name: 'order',
      description: 'Orders tea',
      execute: async (_args, { ask }) => {
        const size = await ask({
          message: 'How much?',
          schema: {
            type: 'object',
            properties: { grams: { type: 'integer', minimum: 1 } },
            required: ['grams'],
          },
        })
        const sure = await ask({ message: 'Really\u202e?' })
        ordered.push([size, sure.action])
        return 'ordered'
      },
    })
    const server = serveMcp({ name: 'shop', tools: [order] })
    const client = clientOf(era, { elicitation: { form: {} } })
    const seen: string[] = []
    const answers = [{ grams: 0 }, { grams: 250 }, {}]
    client.setRequestHandler('elicitation/create', ({ params }) => {
      seen.push(params.message)
      return { action: 'accept', content: answers[seen.length - 1] ?? {} }
    })
    await overStdio(server, client)
    expect(textsOf(await client.callTool({ name: 'order', arguments: {} }))).toBe('ordered')
    expect(seen).toEqual(['How much?', 'How much?', String.raw`Really\u{202E}?`])
    expect(ordered).toEqual([[{ action: 'accept', content: { grams: 250 } }, 'accept']])
    const silent = clientOf(era)
    await overStdio(server, silent)
    const refused = await failure(silent.callTool({ name: 'order', arguments: {} }))
    expect(refused).toMatch(/capabilit/)
    expect(ordered).toHaveLength(1)
  })

  test('declares only what it has, and ends with its client', async () => {
    const { server, client, left } = await connect({ tools: [weigh] })
    expect(client.getServerCapabilities()).toEqual({ tools: {} })
    await client.close()
    await left
    await server.close()
  })
})

test('a result that is too large is not sent', async () => {
  const big = defineTool({ name: 'big', description: 'Big', execute: () => 'x'.repeat(10_000_001) })
  const client = clientOf('auto')
  await overStdio(serveMcp({ name: 'big', tools: [big] }), client)
  const result = await client.callTool({ name: 'big', arguments: {} })
  expect(result.isError).toBe(true)
  expect(textsOf(result)).toMatch(
    /^The tool "big" was executed, but its result has 1\d+ characters/,
  )
})

test('a tool gets the context that the application makes of the principal', async () => {
  const who = defineTool({
    name: 'who',
    description: 'Who',
    execute: (_args, { run }) => ({ context: run.context }),
  })
  const client = clientOf('auto')
  await overStdio(
    serveMcp({ name: 'who', tools: [who], context: (principal) => ({ principal }) }),
    client,
  )
  const result = await client.callTool({ name: 'who', arguments: {} })
  expect(result.structuredContent).toEqual({ context: { principal: 'local' } })
})

test('settings that cannot work are refused with what to do', () => {
  const message = (options: object) => {
    try {
      serveMcp(options as ServeMcpOptions)
      return 'no error'
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(message({})).toBe('serveMcp: name must be a text')
  expect(message({ name: 'x', tools: weigh })).toBe(
    'serveMcp: tools must be a list of tools; make each with defineTool',
  )
  expect(message({ name: 'x', tools: [weigh, weigh] })).toBe(
    'serveMcp: two tools have the name "weigh"; names must differ',
  )
  expect(message({ name: 'x', tool: [weigh] })).toContain('did you mean "tools"?')
})
