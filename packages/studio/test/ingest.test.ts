import { channel } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { Spool } from '../src/attach/spool.js'
import { Subscriptions } from '../src/attach/subscriptions.js'
import { createDemoModel, createStudio, type StudioOptions } from '../src/index.js'
import { openFileStore, serveStudio } from '../src/node.js'
import type { ContextInfo } from '../src/protocol/protocol.js'
import { attacks } from './support.js'

const hello = '{"t":"hello","name":"app.mjs"}'
const start = (id: string, value: object = {}): string =>
  JSON.stringify({
    t: 'start',
    s: id,
    k: 'run',
    at: 1000,
    v: { provider: 'p', model: 'm', messages: [], ...value },
  })

async function open(options: Partial<StudioOptions> = {}) {
  const studio = createStudio({ models: [createDemoModel()], assets: {}, ...options })
  const served = await serveStudio(studio)
  onTestFinished(() => served.close())
  const { origin, hash } = new URL(served.programUrl)
  const send = async (body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}/attach`, {
      ...{
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${hash.slice(1)}`, ...headers },
      },
    })
    return { status: response.status, text: await response.text() }
  }
  const token = new URL(served.url).hash.slice('#token='.length)
  const session = await fetch(`${origin}/api/session`, {
    method: 'POST',
    body: JSON.stringify({ token }),
  })
  const { session: header } = (await session.json()) as { readonly session: string }
  const get = async (path: string): Promise<string> =>
    (await fetch(`${origin}/api/${path}`, { headers: { 'x-modelport-session': header } })).text()
  const ended = async (id: string): Promise<unknown> => {
    await expect
      .poll(async () => JSON.parse(await get(`runs/${id}`)) as { status: string })
      .not.toMatchObject({ status: 'running' })
    return JSON.parse(await get(`runs/${id}`))
  }
  const context = async (id: string): Promise<ContextInfo[]> =>
    JSON.parse(await get(`runs/${id}/context`)) as ContextInfo[]
  return { send, get, ended, context }
}

test('what programs report is refused without their token, from other pages, and with the session of the page', async () => {
  const { send } = await open()
  const wrong = await send(hello, { authorization: 'Bearer 0' })
  expect(wrong.status).toBe(403)
  expect(wrong.text).toContain('this is not the token of this studio')
  expect((await send(hello, { authorization: '' })).status).toBe(403)
  expect((await send(hello, { origin: 'http://evil.example' })).status).toBe(403)
  expect((await send(hello, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
})

test.each([
  ['', 'the field t is not as a program writes it'],
  ['not JSON', 'the field t is not as a program writes it'],
  ['{"t":"start"}', 'the first line is not'],
  ['{"t":"hello","name":""}', 'the first line is not'],
])('a request whose first line is %j is refused with the reason', async (body, reason) => {
  const { status, text } = await (await open()).send(body)
  expect(status).toBe(400)
  expect(text).toContain('"invalid-request"')
  expect(text).toContain(reason)
})

test.each([
  ['{', 'line 3: the field t is not as a program writes it'],
  [
    '{"t":"start","s":"../../x","at":1,"v":{}}',
    'line 3: the field s is not as a program writes it',
  ],
  ['{"t":"other","s":"a"}', 'line 3: the field t is not as a program writes it'],
])(
  'a later line %s ends the connection with its number and the reason, and interrupts what was open',
  async (line, reason) => {
    const { send, ended } = await open()
    const { text } = await send([hello, start('a-1'), line].join('\n'))
    expect(text).toContain(reason)
    expect(await ended('run-a-1')).toMatchObject({
      status: 'cancelled',
      error: { code: 'interrupted' },
    })
  },
)

test('a run that another studio keeps is refused by its line, and the other runs of the program are shown', async () => {
  const path = join(temporaryFolder('ingest'), 'studio.db')
  const other = openFileStore(path)
  onTestFinished(() => other.close())
  const kept = {
    id: 'run-a-1',
    at: 1,
    model: 'p:m',
    title: '',
    status: 'running',
    messages: [],
    program: 'app.mjs',
  } as const
  await other.save(kept)
  const { send, ended } = await open({ store: openFileStore(path) })
  const end = '{"t":"end","s":"b-1","at":2,"v":{"status":"final"}}'
  const { text } = await send([hello, start('a-1'), start('b-1'), end].join('\n'))
  expect(text).toContain('line 2: Error: another studio has continued this run')
  expect(await ended('run-b-1')).toMatchObject({ status: 'final' })
})

test('a run of a program that waits says what for, and how that ends', async () => {
  const { send, get, ended } = await open()
  const action = { type: 'tool_call', tool: 'pay', args: {} }
  const pending = [
    { type: 'uncertain', id: 'c1', action, idempotencyKey: 'k' },
    { type: 'approval', id: 'c2', action, digest: 'd' },
    7,
  ]
  const event = (value: unknown): string =>
    JSON.stringify({
      t: 'event',
      s: 'a-1',
      at: 2,
      v: { type: 'run-suspended', step: 1, pending: value },
    })
  const end = '{"t":"end","s":"a-1","at":3,"v":{"status":"suspended"}}'
  await send([hello, start('a-1'), event({}), event(pending), end].join('\n'))
  expect(await ended('run-a-1')).toMatchObject({ status: 'suspended' })
  expect(await get('runs/run-a-1/file')).toContain(
    'It waits for somebody to say what became of pay, whose outcome is unknown, the approval of pay, work of',
  )
})

test('a line that is too long is refused', async () => {
  const { text } = await (await open()).send(`${hello}\n${'x'.repeat(9_000_000)}`)
  expect(text).toContain('"code":"limit-exceeded"')
})

test('events of unknown types and of wrong shapes are left out, and the rest of the run is kept', async () => {
  const { send, get, ended } = await open()
  const events = [
    ...[
      { type: '__proto__' },
      { type: 'constructor' },
      { type: 'text-delta', text: { html: 1 } },
      7,
      null,
      [],
    ],
    ...[
      { type: 'model-call-end', step: 1 },
      { type: 'tool-start', actionId: 'x' },
      { type: 'action-requested', actionId: 'x' },
      { type: 'action-requested', actionId: 'x', action: { type: 'tool_call', tool: {} } },
      { type: 'tool-error', actionId: 'x', tool: 'y', message: { html: 1 } },
      { type: 'text-delta', text: 'far away', step: 1e9 },
    ],
    { type: 'text-delta', step: 1, text: 'kept' },
  ].map((v) => JSON.stringify({ t: 'event', s: 'a-1', at: 1001, v }))
  const messages = [
    { role: 'root', content: 'x' },
    { role: 'user' },
    7,
    { role: 'user', content: 'asked' },
  ]
  const end = JSON.stringify({
    t: 'end',
    s: 'a-1',
    at: 1002,
    v: { status: 'final', usage: 'none', transcript: 'none' },
  })
  await send([hello, start('a-1', { messages }), start('a-1'), ...events, end, end].join('\n'))
  const told = (await get('runs/run-a-1/events')).match(/"type":"[\w-]+"/g)
  expect(told).toEqual(['"type":"run"', '"type":"text-delta"', '"type":"end"'])
  expect(await ended('run-a-1')).toMatchObject({
    ...{ status: 'final', program: 'app.mjs', messages: [{ role: 'user', content: 'asked' }] },
  })
})

test('a program cannot write over a run that another program, or the studio, has made', async () => {
  const { send, ended } = await open()
  const end = (id: string): string =>
    JSON.stringify({ t: 'end', s: id, at: 1002, v: { status: 'final' } })
  await send([hello, start('a-1', { name: 'mine' }), end('a-1')].join('\n'))
  await send(
    ['{"t":"hello","name":"other.mjs"}', start('a-1', { name: 'stolen' }), end('a-1')].join('\n'),
  )
  expect(await ended('run-a-1')).toMatchObject({ program: 'app.mjs', title: 'mine: without text' })
})

test('a prompt whose known blocks were lost is left out, until a line has all of them', async () => {
  const { send, ended, context } = await open()
  const call = (step: number, manifest: object): string =>
    JSON.stringify({
      ...{ t: 'event', s: 'a-1', at: 1001 },
      v: {
        type: 'model-call-start',
        provider: 'mock',
        model: 'mock',
        step,
        manifest: { step, ...manifest },
      },
    })
  const [a, b] = ['a', 'b'].map((name) => ({ kind: 'user', name, tokens: 1, cached: false }))
  await send(
    [
      ...[
        hello,
        start('a-1', { name: 'mine' }),
        call(1, { blocks: [a] }),
        call(2, { blocks: [b], same: 1 }),
      ],
      ...[
        '{"t":"dropped","s":"a-1","n":3,"at":1}',
        call(3, { blocks: [b], same: 2 }),
        call(4, { blocks: [a, b] }),
      ],
      ...[
        call(5, { blocks: [a], same: 1e9 }),
        call(6, { blocks: [], same: -1 }),
        call(7, { blocks: 'x', same: 'y' }),
      ],
    ].join('\n'),
  )
  await ended('run-a-1')
  expect((await context('run-a-1')).map(({ step, blocks }) => [step, blocks.length])).toEqual([
    [1, 1],
    [2, 2],
    [4, 2],
  ])
})

test('texts that attack a page stay texts in every field of a run of a program', async () => {
  const { send, ended } = await open()
  for (const [index, attack] of attacks.entries()) {
    const id = `a-${index}`
    const delta = JSON.stringify({
      t: 'event',
      s: id,
      at: 1001,
      v: { type: 'text-delta', step: 1, text: attack },
    })
    await send(
      [
        hello,
        start(id, { name: attack, model: attack, messages: [{ role: 'user', content: attack }] }),
        delta,
      ].join('\n'),
    )
    expect(await ended(`run-${id}`)).toMatchObject({ messages: [{ content: attack }] })
  }
})

test('a spool drops its oldest entries above its limits, and says of each run how many it lost', () => {
  const spool = new Spool({ entries: 20, characters: 1_000_000 })
  const span = { id: 'a-1', start: '', dropped: 0, blocks: [] }
  for (let index = 0; index < 30; index++) spool.add(span, JSON.stringify({ index }))
  const lines = spool.take().map((line) => JSON.parse(line) as unknown)
  expect(lines).toEqual([
    { t: 'dropped', s: 'a-1', n: 12 },
    ...Array.from({ length: 18 }, (_, at) => ({ index: at + 12 })),
  ])
  expect(spool.isEmpty).toBe(true)
})

test('a spool that drops a line forgets which blocks of a prompt the studio knows', () => {
  const spool = new Spool({ entries: 10, characters: 1_000_000 })
  const block = {
    kind: 'user',
    origin: 'history',
    name: undefined,
    tokens: 1,
    hash: 'a',
    cached: false,
  }
  const span = { id: 'a-1', start: '', dropped: 0, blocks: [block] }
  for (let index = 0; index < 11; index++) spool.add(span, '{}')
  expect(span.blocks).toEqual([])
})

/** Writes what this process publishes into a spool, until the test ends. */
function subscribe(spool: Spool): void {
  const subscriptions = new Subscriptions({
    spool,
    withContent: true,
    isTaken: () => true,
    notify: () => undefined,
  })
  onTestFinished(() => subscriptions.close())
}

test('a line has the value as it was when it was published, whatever the program does with it then', () => {
  const spool = new Spool()
  subscribe(spool)
  const [slot, span] = [channel('modelport:run'), {}]
  const args = { city: 'Oslo' }
  slot.runStores({ span, type: 'start', value: {} }, () => {
    slot.publish({ span, type: 'event', value: { type: 'tool-start', tool: 'weather', args } })
  })
  args.city = 'changed'
  expect(spool.take().join()).toContain('"args":{"city":"Oslo"}')
})

test.each([
  ['long replies', { type: 'model-call-end', text: 'x'.repeat(10_000) }],
  [
    'long prompts',
    { type: 'model-call-start', manifest: { blocks: Array<object>(200).fill({ kind: 'user' }) } },
  ],
])(
  'without a studio a program keeps about as many characters as it may, also of %s',
  (_, value) => {
    const spool = new Spool({ entries: 1000, characters: 300_000 })
    subscribe(spool)
    const slot = channel('modelport:run')
    for (let index = 0; index < 100; index++) {
      const span = {}
      slot.runStores({ span, type: 'start', value: {} }, () =>
        slot.publish({ span, type: 'event', value }),
      )
    }
    expect(spool.take().length).toBeLessThan(70)
  },
)

test('a spool joins the parts of one text, and only those', () => {
  const spool = new Spool()
  const span = { id: 'a-1', start: '', dropped: 0, blocks: [] }
  const first = { type: 'tool-call-delta', text: 'a', step: 1, attempt: 1, callId: 'c1' }
  const others = [{ callId: 'c2' }, { attempt: 2 }, { step: 2 }, { type: 'text-delta' }].map(
    (other) => ({
      ...first,
      ...other,
    }),
  )
  for (const delta of [first, ...others])
    for (const text of ['b', 'c']) spool.addDelta(span, delta, text)
  spool.addDelta({ ...span, id: 'a-2' }, others.at(-1) ?? first, 'd')
  const line = { t: 'event', s: 'a-1', at: expect.any(Number) as number }
  expect(spool.take().map((one) => JSON.parse(one) as unknown)).toEqual([
    ...[first, ...others].map((delta) => ({ ...line, v: { ...delta, text: 'bc' } })),
    { ...line, s: 'a-2', v: { ...others.at(-1), text: 'd' } },
  ])
})

test('a spool holds at most its characters, also of one long text', () => {
  const spool = new Spool({ entries: 1000, characters: 300_000 })
  const span = { id: 'a-1', start: '', dropped: 0, blocks: [] }
  const delta = { type: 'text-delta', text: 'twelve chars' }
  for (let index = 0; index < 50_000; index++) spool.addDelta(span, delta, delta.text)
  const lines = spool.take()
  expect(lines.join('').length).toBeGreaterThan(200_000)
  expect(lines.join('').length).toBeLessThan(310_000)
  expect(lines[0]).toContain('"t":"dropped"')
})
