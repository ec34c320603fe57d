import { execFileSync } from 'node:child_process'
import { type Cassette, createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { toCurl, toMarkdown } from '../src/page/run/export.js'
import type { Exchange, RunRecord, StudioEvent } from '../src/protocol/protocol.js'
import { createDemoModel, demoTools } from '../src/server/demo.js'
import { toExchanges } from '../src/server/exchanges.js'
import { readRunFile } from '../src/server/request-bodies.js'
import { toRunFile } from '../src/server/run-file.js'
import { Runs } from '../src/server/runs.js'
import { createMemoryStore } from '../src/store/file-store.js'

const bodyOf = (body: unknown): Request =>
  new Request('http://studio.example/', { method: 'POST', body: JSON.stringify(body) })

/** A run with a tool call that is over, and its file as JSON. */
async function finished() {
  const call = { toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] }
  const model = {
    id: 'm',
    provider: 'mock',
    model: 'm',
    hosts: [],
    open: () => createMock({ responses: [call, 'Cold.'] }),
  }
  const store = createMemoryStore()
  const runs = new Runs({ models: [model], assets: {}, tools: demoTools, store })
  const messages = [{ role: 'user' as const, content: 'How is the weather?' }]
  const { id } = await runs.start({ model: 'm', messages, approvals: 'allow' }, model)
  await expect.poll(() => runs.live(id)).toBeUndefined()
  const run = (await runs.find(id))!
  const file = JSON.parse(
    JSON.stringify(await toRunFile(store, run, await store.events(run.id, 0))),
  ) as Record<string, unknown> & {
    readonly run: RunRecord
    readonly events: readonly StudioEvent[]
  }
  return { run, file }
}

test('a run that was saved as JSON is imported with its messages, events and words, under a new id', async () => {
  const { run, file } = await finished()
  const store = createMemoryStore()
  const runs = new Runs({ models: [], assets: {}, store })
  const imported = await runs.import(
    await readRunFile(bodyOf({ ...file, run: { ...run, from: { runId: 'x', messages: 1 } } })),
  )
  expect(imported.id).not.toBe(run.id)
  expect(await runs.find(imported.id)).toMatchObject({
    title: run.title,
    status: 'final',
    transcript: run.transcript,
  })
  const events = await runs.events(imported.id, 0)
  expect(events.map(({ type }) => type)).toEqual(file.events.map(({ type }) => type))
  expect(events.at(-1)).toMatchObject({ type: 'end', run: { id: imported.id } })
  expect((await runs.list(10, { text: 'oslo', tool: 'get_weather' })).map(({ id }) => id)).toEqual([
    imported.id,
  ])
  expect(await runs.find(imported.id)).not.toHaveProperty('from')
})

const broken = (event: object): object => ({ seq: 1, at: 1, type: 'run', event })

test.each<[string, (file: Record<string, unknown>, run: RunRecord) => unknown, RegExp]>([
  ['that is not a run', () => ({ modelport: 'cassette', version: 1 }), /modelport/],
  ['of another version', (file) => ({ ...file, version: 2 }), /version/],
  [
    'of a run that is under way',
    (file, run) => ({ ...file, run: { ...run, status: 'running' } }),
    /run\.status/,
  ],
  [
    'without messages',
    (file, run) => ({ ...file, run: { ...run, messages: undefined } }),
    /run\.messages/,
  ],
  [
    'with an event of wrong insides',
    (file) => ({
      ...file,
      events: [broken({ type: 'tool-error', actionId: 'a', tool: 'b', message: {} })],
    }),
    /events\.0\.event\.message/,
  ],
  [
    'with an event that lacks something',
    (file) => ({ ...file, events: [broken({ type: 'text-delta' })] }),
    /events\.0\.event\.text/,
  ],
  [
    'with a message without a role',
    (file, run) => ({ ...file, run: { ...run, transcript: [{}] } }),
    /transcript\.0/,
  ],
  [
    'with a request that has no messages',
    (file) => ({ ...file, events: [{ seq: 1, at: 1, type: 'request', request: { same: 0 } }] }),
    /events\.0\.request/,
  ],
  [
    'with a gap in its events',
    (file) => ({ ...file, events: [{ seq: 2, at: 1, type: 'continued' }] }),
    /events: .*gaps/,
  ],
  [
    'with a step that is not a number',
    (file) => ({
      ...file,
      events: [{ seq: 1, at: 1, type: 'run', event: { type: 'x', step: 'a' } }],
    }),
    /step/,
  ],
])('a file %s is refused, and the message names the field', async (_what, change, message) => {
  const { run, file } = await finished()
  await expect(readRunFile(bodyOf(change(file, run)))).rejects.toMatchObject({
    code: 'invalid-request',
    message: expect.stringMatching(message) as string,
  })
})

test('a run with notes and without messages, as a program without texts has it, can be saved and opened', async () => {
  const { run, file } = await finished()
  const events = [{ seq: 1, at: 1, type: 'note', text: '3 events are missing here' }]
  const read = await readRunFile(
    bodyOf({ ...file, run: { ...run, messages: [], transcript: undefined }, events }),
  )
  const store = createMemoryStore()
  const { id } = await new Runs({ models: [], assets: {}, store }).import(read)
  expect(await store.events(id, 0)).toEqual(events)
})

test('a run as Markdown has its numbers, messages, calls and results, in fences that their text cannot end', async () => {
  const { run } = await finished()
  const fences = {
    ...run,
    transcript: [
      ...run.transcript!,
      { role: 'tool' as const, toolCallId: 'c', content: '```\n# not a heading' },
    ],
  }
  const text = toMarkdown(fences)
  expect(text).toContain('# How is the weather?\n')
  expect(text).toContain('- State: finished')
  expect(text).toContain('**Call of get_weather**\n\n```\n{\n  "city": "Oslo"\n}\n```')
  expect(text).toContain('````\n```\n# not a heading\n````')
  expect(text).toContain('## assistant\n\nCold.')
})

test('a request as a command of curl has a variable where the key was, and no character ends a quote', () => {
  const exchange: Exchange = {
    ...{ method: 'POST', url: 'https://api.openai.com/v1/chat?key=redacted' },
    requestHeaders: { authorization: '[redacted]', 'content-type': 'application/json' },
    requestBody: `{"text":"it's $HOME \`id\`"}`,
  }
  expect(toCurl(exchange)).toBe(
    [
      `curl -X POST 'https://api.openai.com/v1/chat?key='"$OPENAI_API_KEY"''`,
      `-H 'authorization: Bearer '"$OPENAI_API_KEY"''`,
      `-H 'content-type: application/json'`,
      `--data-raw '{"text":"it'\\''s $HOME \`id\`"}'`,
    ].join(' \\\n  '),
  )
  const shell = `HOME=wrong; OPENAI_API_KEY=secret; curl() { printf '%s\\n' "$@"; }\n${toCurl(exchange)}`
  expect(execFileSync('sh', ['-c', shell], { encoding: 'utf8' }).split('\n')).toEqual([
    ...[
      '-X',
      'POST',
      'https://api.openai.com/v1/chat?key=secret',
      '-H',
      'authorization: Bearer secret',
    ],
    ...['-H', 'content-type: application/json', '--data-raw', exchange.requestBody, ''],
  ])
  expect(toCurl({ ...exchange, url: 'http://127.0.0.1:8080/' })).toContain('Bearer \'"$API_KEY"')
})

test('a response that is too long for the page is cut, and says by how much', () => {
  const request = { method: 'GET', url: 'http://127.0.0.1/', headers: {} }
  const response = { status: 200, headers: {}, chunks: ['x'.repeat(999_999), 'yz12'] }
  const [shown] = toExchanges({
    version: 1,
    exchanges: [{ request, response }],
  } as unknown as Cassette)
  expect(shown?.responseBody).toMatch(/xy … \(3 more characters are in the cassette\)$/)
})

test('a tool of the studio replaces the one of a model with its name, also in the chat of that model', async () => {
  const given: unknown[] = []
  const weather = defineTool({
    name: 'get_weather',
    description: 'Mine',
    parameters: z.object({ city: z.string() }),
    execute: (args) => given.push(args),
  })
  const model = createDemoModel()
  const runs = new Runs({
    models: [model],
    assets: {},
    tools: [weather],
    store: createMemoryStore(),
  })
  const messages = [{ role: 'user' as const, content: 'How is the weather in Oslo?' }]
  const { id } = await runs.start({ model: 'demo', messages, approvals: 'allow' }, model)
  await expect.poll(() => runs.live(id)).toBeUndefined()
  expect(await runs.find(id)).toMatchObject({ status: 'final' })
  expect(given).toEqual([{ city: 'Oslo' }])
})
