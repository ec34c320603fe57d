import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bundlePrograms } from '../../../test/support/bundle.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createDemoModel, createStudio, type StudioOptions } from '../src/index.js'
import { openFileStore, serveStudio } from '../src/node.js'
import type { ContextInfo, RunRecord, RunSummary, StudioEvent } from '../src/protocol/protocol.js'
import { beforeRequests, type WholeRequest, wholeRequest } from '../src/protocol/sent-request.js'

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const sources = pathOf('../../../scripts/sources.mjs')

// A program that starts from the sources reads some hundred files; here thirty start.
const bundles = mkdtempSync(join(tmpdir(), 'modelport-attached-'))
let program: Record<'attach' | 'attached' | 'sqlite-thread', string>
beforeAll(async () => {
  program = await bundlePrograms(bundles, {
    attach: pathOf('../src/attach.ts'),
    attached: pathOf('./programs/attached.ts'),
    'sqlite-thread': pathOf('../../durable/src/sqlite/sqlite-thread.ts'),
  })
})
afterAll(() => {
  rmSync(bundles, { recursive: true, maxRetries: 5 })
})

/** A studio without a page that writes its address into the state folder, and what its API says. */
async function openStudio(state: string, options: Partial<StudioOptions> = {}) {
  const studio = createStudio({ models: [createDemoModel()], assets: {}, ...options })
  const served = await serveStudio(studio, { addressFile: join(state, 'modelport/studio-address') })
  onTestFinished(() => served.close().catch(() => undefined))
  const post = await fetch(new URL('/api/session', served.url), {
    method: 'POST',
    body: JSON.stringify({ token: new URL(served.url).hash.slice('#token='.length) }),
  })
  const { session } = (await post.json()) as { readonly session: string }
  const get = (path: string): Promise<Response> =>
    fetch(new URL(path, served.url), { headers: { 'x-modelport-session': session } })
  const runs = async (): Promise<RunSummary[]> =>
    (await (await get('/api/runs')).json()) as RunSummary[]
  const ended = async (count: number): Promise<RunSummary[]> => {
    await expect
      .poll(async () => (await runs()).filter(({ status }) => status !== 'running').length)
      .toBe(count)
    return (await runs()).reverse()
  }
  const events = async (id: string): Promise<StudioEvent[]> =>
    (await (await get(`/api/runs/${id}/events`)).text())
      .split('\n')
      .flatMap((line) =>
        line.startsWith('data: ') ? (JSON.parse(line.slice(6)) as StudioEvent[]) : [],
      )
  const context = async (id: string): Promise<ContextInfo[]> =>
    (await (await get(`/api/runs/${id}/context`)).json()) as ContextInfo[]
  const record = async (id: string): Promise<RunRecord> =>
    (await (await get(`/api/runs/${id}`)).json()) as RunRecord
  const found = async (text: string): Promise<RunSummary[]> =>
    (await (await get(`/api/runs?text=${text}`)).json()) as RunSummary[]
  return { served, runs, ended, events, context, record, found }
}

const { PATH, NODE_COMPILE_CACHE } = process.env

/**
 * Starts the program with the module, as a user does. Programs that wait until they are connected
 * wait for the end of their input: it comes when a studio was announced or refused, or after
 * `quietMs`.
 */
function start(what: string, state: string, env: Record<string, string> = {}, quietMs = 60_000) {
  const child = spawn(
    process.execPath,
    ['--import', pathToFileURL(program.attach).href, program.attached, what],
    { env: { PATH, NODE_COMPILE_CACHE, HOME: state, XDG_STATE_HOME: state, ...env } },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const connected = (): void => void child.stdin.end()
  child.stderr.once('data', connected)
  const timer = setTimeout(connected, quietMs)
  const done = new Promise<{ readonly status: number | null; readonly stderr: string }>(
    (resolve) => {
      child.on('close', (status) => {
        clearTimeout(timer)
        resolve({ status, stderr })
      })
    },
  )
  return { child: child as ChildProcess, done, connected, stdout: () => stdout }
}

/** What a program waits for in the middle of its run, however slow the machine is. */
function gateIn(state: string): { readonly GATE: string; open(): void } {
  const file = join(state, 'gate')
  return { GATE: file, open: () => writeFileSync(file, '') }
}

/** A studio in a process of its own. */
function killable(path: string, option = '') {
  const code = `
    const { createDemoModel, createStudio } = await import('@modelport/studio')
    const { openFileStore, serveStudio } = await import('@modelport/studio/node')
    const studio = createStudio({ models: [createDemoModel()], assets: {}, ${option} })
    await serveStudio(studio, { addressFile: ${JSON.stringify(path)} })`
  return spawn(process.execPath, ['--import', sources, '--input-type=module', '-e', code])
}

const typesOf = (events: readonly StudioEvent[]): string[] =>
  events
    .filter(({ type }) => type !== 'request')
    .map((one) => (one.type === 'run' || one.type === 'agent' ? one.event.type : one.type))
    // How many deltas are sent together depends on their times.
    .filter((type, index, all) => !type.endsWith('-delta') || type !== all[index - 1])

describe('a program that is attached', () => {
  test('a run of a program is shown with its events, and the model call of its tool below it', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    const { status, stderr } = await start('run', state).done
    expect(status).toBe(0)
    expect(stderr).toBe(
      `modelport: this program is shown at ${new URL(studio.served.url).origin}\n`,
    )
    const [outer, inner, ...others] = await studio.ended(2)
    expect(others).toEqual([])
    expect(outer).toMatchObject({
      ...{
        program: 'attached.mjs',
        title: 'weather: Is it warm?',
        model: 'mock:mock',
        status: 'final',
      },
      usage: { inputTokens: 20, outputTokens: 10 },
    })
    expect(outer).not.toHaveProperty('parent')
    expect(inner).toMatchObject({ title: 'the inner question', status: 'final', parent: outer?.id })
    expect(typesOf(await studio.events(outer?.id ?? ''))).toEqual([
      ...[
        'step-start',
        'model-call-start',
        'tool-call-delta',
        'model-call-end',
        'action-requested',
        'tool-start',
      ],
      ...[
        'tool-result',
        'step-start',
        'model-call-start',
        'text-delta',
        'model-call-end',
        'final',
        'end',
      ],
    ])
    expect((await studio.record(outer?.id ?? '')).transcript?.at(-1)).toMatchObject({
      content: 'It is warm.',
    })
  })

  test('a stream with tools is shown as steps, each tool call with its result', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('tools', state).done
    const [call] = await studio.ended(1)
    expect(call).toMatchObject({ title: 'Is it warm?', status: 'final' })
    const events = await studio.events(call?.id ?? '')
    expect(typesOf(events)).toEqual([
      ...[
        'model-call-start',
        'tool-call-delta',
        'action-requested',
        'model-call-end',
        'tool-start',
        'tool-result',
      ],
      ...['model-call-start', 'text-delta', 'model-call-end', 'end'],
    ])
    expect(JSON.stringify(events)).toContain('"result":"sunny"')
  })

  test('a task of an agent stands below the run that gave it, and above its own run', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('task', state).done
    const [run, task, ofTask] = await studio.ended(3)
    expect(run).toMatchObject({ title: 'Add, please' })
    expect(task).toMatchObject({
      title: 'adder: What is 2 + 2?',
      model: 'task adder',
      status: 'final',
      parent: run?.id,
    })
    expect(ofTask).toMatchObject({ parent: task?.id, status: 'final' })
  })

  test('a durable run stands above the run that it executes', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('durable', state).done
    const [durable, run] = await studio.ended(2)
    expect(durable).toMatchObject({
      title: 'invoice-17',
      model: 'durable invoice-17',
      status: 'final',
    })
    expect(run).toMatchObject({ title: 'Store it', status: 'final', parent: durable?.id })
  })

  test('a dialog call is shown under the name of its caller, with its question and its reply', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('dialog', state).done
    const [call] = await studio.ended(1)
    expect(call).toMatchObject({ title: 'reporter: How warm is Rome?', status: 'final' })
    expect((await studio.record(call?.id ?? '')).transcript?.at(-1)).toMatchObject({
      content: '{"degrees": 28}',
    })
  })

  test('each step of a run has its whole prompt, although a line has only what is new', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('steps', state).done
    const [run] = await studio.ended(1)
    const contexts = await studio.context(run?.id ?? '')
    const names = contexts.map(({ blocks }) => blocks.map(({ name }) => name))
    const round = ['assistant mock/mock', 'tool-result ask']
    const first = ['tool ask', 'user']
    expect(names).toEqual(
      [0, 1, 2, 3, 4, 5].map((rounds) => [...first, ...Array<string[]>(rounds).fill(round).flat()]),
    )
    // What is new in a step begins where the prompt of the step before ended.
    expect(contexts.map(({ blocks }) => blocks.findIndex(({ changed }) => changed))).toEqual([
      -1, 2, 4, 6, 8, 10,
    ])
  })

  test('each model call of a run has what it was sent, and a line has only what is new', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('steps', state).done
    const [run] = await studio.ended(1)
    const events = await studio.events(run?.id ?? '')
    const sent = events.flatMap((one) => (one.type === 'request' ? [one.request] : []))
    // The question, then a reply and a result more in each step.
    expect(sent.map(({ same, messages }) => same + messages.length)).toEqual([1, 3, 5, 7, 9, 11])
    // Those before may be whole: the studio may have been found after the run began.
    expect(sent.at(-1)).toMatchObject({ same: 9, messages: [{ role: 'assistant' }, {}] })
    expect(sent.at(-1)).not.toHaveProperty('about')
    expect(sent[0]?.about?.tools).toMatchObject([{ name: 'ask' }])

    const { messages, transcript } = await studio.record(run?.id ?? '')
    let whole: WholeRequest | undefined = beforeRequests(messages)
    for (const request of sent) whole = wholeRequest(request, whole)
    expect(whole?.messages).toEqual(transcript?.slice(0, -1))
  })

  test('a plain call with tools has what each of its turns was sent', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('tools', state).done
    const [call] = await studio.ended(1)
    const events = await studio.events(call?.id ?? '')
    const sent = events.flatMap((one) => (one.type === 'request' ? [one.request] : []))
    expect(sent).toMatchObject([
      { same: 1, messages: [], about: { model: 'mock', tools: [{ name: 'ask' }] } },
      { same: 1, messages: [{ role: 'assistant' }, { role: 'tool', content: 'sunny' }] },
    ])
  })

  test('a studio that is started again during a run shows the whole prompt of the steps that begin from then on', async () => {
    const state = temporaryFolder('attach')
    const { open, ...gate } = gateIn(state)
    const program = start('steps', state, gate)
    const first = await openStudio(state)
    const seen = async () => (await first.context((await first.runs())[0]?.id ?? '')).length
    await expect.poll(seen).toBe(3)
    await first.served.close()
    const second = await openStudio(state)
    await expect.poll(async () => (await second.runs()).length).toBe(1)
    open()
    const [run] = await second.ended(1)
    const contexts = await second.context(run?.id ?? '')
    expect(contexts.length).toBeGreaterThan(0)
    for (const { step, blocks } of contexts) expect(blocks).toHaveLength(2 * step)
    const sent = (await second.events(run?.id ?? '')).flatMap((one) =>
      one.type === 'request' ? [one.request] : [],
    )
    // The first that it gets is whole.
    expect(sent).toHaveLength(contexts.length)
    expect(sent[0]).toMatchObject({ same: 0, about: { model: 'mock' } })
    expect(sent[0]?.messages).toHaveLength(2 * (contexts[0]?.step ?? 0) - 1)
    expect((await program.done).status).toBe(0)
  })

  test.each(['exit', 'throws'])(
    'a program that ends at once (%s) has sent what happened before',
    async (what) => {
      const state = temporaryFolder('attach')
      const studio = await openStudio(state)
      await start(what, state).done
      expect(await studio.ended(1)).toMatchObject([{ title: 'the last question', status: 'final' }])
    },
  )

  test('a call that fails is shown with the code and the message of its error', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('fails', state).done
    const [call] = await studio.ended(1)
    expect(call).toMatchObject({ status: 'failed', error: { code: 'auth' } })
    expect(typesOf(await studio.events(call?.id ?? ''))).toEqual([
      'model-call-start',
      'model-error',
      'end',
    ])
  })

  test('a program that is killed leaves its runs as interrupted, with what had arrived; until then nobody stops them here', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state, { store: openFileStore(join(state, 'studio.db')) })
    const program = start('hangs', state, { GATE: gateIn(state).GATE })
    await expect.poll(async () => (await studio.runs())[0]?.firstTokenMs).toBeGreaterThan(0)
    expect(await studio.runs()).toMatchObject([{ status: 'running', elsewhere: true }])
    program.child.kill('SIGKILL')
    const [run] = await studio.ended(1)
    expect(run).toMatchObject({
      status: 'cancelled',
      error: { code: 'interrupted', message: 'attached.mjs ended during this run.' },
    })
    expect(run).not.toHaveProperty('elsewhere')
    expect(typesOf(await studio.events(run?.id ?? ''))).toEqual([
      'model-call-start',
      'text-delta',
      'end',
    ])
  })

  test('a studio that is started later, or again, shows what the program has under way', async () => {
    const state = temporaryFolder('attach')
    const store = join(state, 'studio.db')
    const { open, ...gate } = gateIn(state)
    const program = start('hangs', state, gate)
    await expect.poll(() => program.stdout()).toContain('reading')
    const first = await openStudio(state, { store: openFileStore(store) })
    await expect.poll(async () => (await first.runs()).length).toBe(1)
    await first.served.close()
    const second = await openStudio(state, { store: openFileStore(store) })
    await expect.poll(async () => (await second.runs())[0]?.status).toBe('running')
    open()
    await expect.poll(async () => (await second.runs())[0]?.status).toBe('final')
    expect(await second.runs()).toMatchObject([{ title: 'Count', usage: { outputTokens: 5 } }])
    expect((await program.done).status).toBe(0)
  })

  test('a run that ends while no studio runs is whole once the next one is there', async () => {
    const state = temporaryFolder('attach')
    const store = join(state, 'studio.db')
    const { open, ...gate } = gateIn(state)
    const program = start('gap', state, gate)
    const first = await openStudio(state, { store: openFileStore(store) })
    await expect.poll(async () => (await first.runs()).length).toBe(1)
    await first.served.close()
    open()
    await expect.poll(program.stdout).toBe('ended\n')
    const opened = openFileStore(store)
    expect(await opened.list(9)).toMatchObject([{ error: { code: 'interrupted' } }])
    const second = await openStudio(state, { store: opened })
    await expect.poll(async () => (await second.runs())[0]?.status).toBe('final')
    expect(await second.runs()).toMatchObject([{ title: 'Count', usage: { outputTokens: 10 } }])
  })

  test('the system prompt of a run is kept with its settings, and found', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('prompted', state).done
    const [outer] = await studio.ended(2)
    const { settings } = await studio.record(outer?.id ?? '')
    expect(settings?.options).toEqual({ system: 'Speak like a captain.' })
    expect(await studio.found('captain')).toMatchObject([{ id: outer?.id }])
  })

  test('a run whose program is killed keeps its replies, results and counts, as far as they had arrived', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    const program = start('steps', state, { GATE: gateIn(state).GATE })
    await expect.poll(async () => (await studio.runs()).length).toBe(1)
    const id = (await studio.runs())[0]?.id ?? ''
    await expect.poll(async () => (await studio.context(id)).length).toBeGreaterThan(2)
    program.child.kill('SIGKILL')
    const [run] = await studio.ended(1)
    const { transcript = [], usage } = await studio.record(run?.id ?? '')
    expect(transcript.slice(0, 3)).toMatchObject([
      { role: 'user', content: 'Go' },
      { role: 'assistant', toolCalls: [{ name: 'ask', arguments: { about: 1 } }] },
      { role: 'tool', toolName: 'ask', content: 'asked 1', isError: false },
    ])
    expect(usage?.inputTokens).toBe(
      10 * transcript.filter(({ role }) => role === 'assistant').length,
    )
  })

  test('a run whose studio and then whose program is killed keeps what it said before and after', async () => {
    const state = temporaryFolder('attach')
    const store = join(state, 'studio.db')
    const { open, ...gate } = gateIn(state)
    const program = start('steps', state, gate)
    const first = await openStudio(state, { store: openFileStore(store) })
    const steps = async (studio: typeof first, id: string) => (await studio.context(id)).length
    await expect.poll(async () => (await first.runs()).length).toBe(1)
    const id = (await first.runs())[0]?.id ?? ''
    await expect.poll(() => steps(first, id)).toBeGreaterThan(1)
    await first.served.close()
    const second = await openStudio(state, { store: openFileStore(store) })
    await expect.poll(async () => (await second.runs())[0]?.status).toBe('running')
    open()
    await expect.poll(() => steps(second, id)).toBeGreaterThan(3)
    program.child.kill('SIGKILL')
    await second.ended(1)
    const { transcript = [], usage } = await second.record(id)
    expect(transcript[1]).toMatchObject({
      role: 'assistant',
      toolCalls: [{ arguments: { about: 1 } }],
    })
    expect(usage?.turns.length).toBe(transcript.filter(({ role }) => role === 'assistant').length)
    expect(usage?.turns.length).toBeGreaterThan(2)
  })

  test('a program whose studio was killed is shown by the next one, with the run that was under way', async () => {
    const state = temporaryFolder('attach')
    const path = join(state, 'modelport/studio-address')
    const store = join(state, 'studio.db')
    const killed = killable(path, `store: openFileStore(${JSON.stringify(store)})`)
    await expect.poll(() => existsSync(path)).toBe(true)
    const { open, ...gate } = gateIn(state)
    const program = start('steps', state, gate)
    const opened = openFileStore(store)
    await expect.poll(async () => (await opened.list(9))[0]?.status).toBe('running')
    killed.kill('SIGKILL')
    await once(killed, 'close')
    await opened.close()
    const left = openFileStore(store)
    expect(await left.list(9)).toMatchObject([{ error: { code: 'interrupted' } }])
    const next = await openStudio(state, { store: left })
    await expect.poll(async () => (await next.runs())[0]?.status).toBe('running')
    open()
    await expect.poll(async () => (await next.runs())[0]?.status).toBe('final')
    expect(await next.runs()).toHaveLength(1)
    expect((await program.done).status).toBe(0)
  })

  test('keys in the environment are taken out of texts by their values', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    const key = 'tk-9f8e7d6c5b4a39281706'
    await start('run', state, { TEST_API_KEY: key }).done
    const [outer, inner] = await studio.ended(2)
    const text = JSON.stringify([
      await studio.events(outer?.id ?? ''),
      await studio.events(inner?.id ?? ''),
    ])
    expect(text).toContain('an inner reply with [redacted]')
    expect(text).not.toContain(key)
  })

  test('with MODELPORT_STUDIO_CONTENT=off a run has its names, counts and times, and no text', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    await start('run', state, { MODELPORT_STUDIO_CONTENT: 'off' }).done
    const [outer, inner] = await studio.ended(2)
    expect(outer).toMatchObject({
      model: 'mock:mock',
      usage: { outputTokens: 10 },
      title: 'weather: without text',
    })
    expect(outer?.firstTokenMs).toBeGreaterThan(0)
    const all = [
      outer,
      inner,
      await studio.events(outer?.id ?? ''),
      await studio.record(inner?.id ?? ''),
    ]
    for (const word of ['warm', 'inner reply', 'question'])
      expect(JSON.stringify(all)).not.toContain(word)
    expect(JSON.stringify(all)).not.toContain('"type":"request"')
    expect(JSON.stringify(all)).toContain('"tool":"ask"')
  })
})

describe('a program without a studio', () => {
  test('a program that finds no studio runs as always and prints nothing', async () => {
    const state = temporaryFolder('attach')
    expect(await start('run', state).done).toEqual({ status: 0, stderr: '' })
  })

  test('a program whose studio is gone, or whose port is another server now, runs as always and sends no text', async () => {
    const state = temporaryFolder('attach')
    const bodies: string[] = []
    const other = createServer((request, response) => {
      bodies.push(JSON.stringify(request.headers))
      request.on('data', (chunk) => bodies.push(String(chunk)))
      // As if it took everything: only the proof is missing.
      response.writeHead(200, { 'x-modelport-proof': 'ab'.repeat(32) }).write('data: {}\n\n')
      program.connected()
    })
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    mkdirSync(join(state, 'modelport'))
    const { port } = other.address() as AddressInfo
    writeFileSync(join(state, 'modelport/studio-address'), `http://127.0.0.1:${port}/#old`, {
      mode: 0o600,
    })
    const program = start('exit', state)
    expect(await program.done).toEqual({ status: 0, stderr: '' })
    expect(bodies).not.toEqual([])
    expect(bodies.join('')).not.toMatch(/old|hello|attached\.mjs|question/)
  })

  test('a program does not use an address file that others can use, and says so', async () => {
    const state = temporaryFolder('attach')
    const path = join(state, 'modelport/studio-address')
    const studio = await openStudio(state)
    chmodSync(path, 0o666)
    const { status, stderr } = await start('run', state, {}, 3000).done
    expect(status).toBe(0)
    expect(stderr).toBe(
      `modelport: ${path} belongs to another user, or others can use it: this program is shown in no studio; delete the file and start the studio again\n`,
    )
    expect(await studio.runs()).toEqual([])
  })

  test('a studio takes no line of a program that does not prove the token', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    const response = await fetch(new URL('/attach', studio.served.url), {
      method: 'POST',
      headers: { 'x-modelport-challenge': 'ab'.repeat(32) },
      body: `{"proof":"${'ab'.repeat(32)}"}\n{"t":"hello","name":"evil"}\n{"t":"start","s":"1","k":"run","at":1}\n`,
    })
    expect(await response.text()).toContain('this does not prove the token of this studio')
    expect(await studio.runs()).toEqual([])
  })

  test('a studio that was killed leaves an address that programs pass by, and that the next studio replaces', async () => {
    const state = temporaryFolder('attach')
    const path = join(state, 'modelport/studio-address')
    const killed = killable(path)
    await expect.poll(() => existsSync(path)).toBe(true)
    killed.kill('SIGKILL')
    await once(killed, 'close')
    const left = readFileSync(path, 'utf8')
    expect(await start('run', state).done).toEqual({ status: 0, stderr: '' })
    const next = await openStudio(state)
    expect(left).not.toBe('')
    expect(readFileSync(path, 'utf8')).toBe(next.served.programUrl)
    expect((await start('run', state).done).stderr).toContain(new URL(next.served.url).origin)
    expect(await next.ended(2)).toHaveLength(2)
  })

  test.each([
    ['http://192.0.2.1:4000/#token', 'names 192.0.2.1:4000, which is another machine'],
    [
      'http://127.0.0.1:4000/',
      'is not the address of a studio; set it to http://127.0.0.1:PORT/#TOKEN',
    ],
    ['4000', 'is not the address of a studio'],
    ['http://127.0.0.1:4000/#token=abc', 'is not the address of a studio'],
  ])('MODELPORT_STUDIO=%s is refused where the program starts', async (address, message) => {
    const { status, stderr } = await start('run', temporaryFolder('attach'), {
      MODELPORT_STUDIO: address,
    }).done
    expect(status).toBe(1)
    expect(stderr).toMatch(/^modelport: [^\n]+\n$/)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('#token')
  })

  test('a value that MODELPORT_STUDIO_CONTENT does not know is refused', async () => {
    const env = { MODELPORT_STUDIO_CONTENT: 'OFF' }
    const { status, stderr } = await start('run', temporaryFolder('attach'), env).done
    expect(status).toBe(1)
    expect(stderr).toContain('MODELPORT_STUDIO_CONTENT must be on or off')
  })

  test('a token that the studio does not know is said once if the variable has it, and passed by if the file has it', async () => {
    const state = temporaryFolder('attach')
    const { served } = await openStudio(state)
    const { origin } = new URL(served.url)
    expect(await start('exit', state, { MODELPORT_STUDIO: `${origin}/#wrong` }).done).toEqual({
      status: 0,
      stderr: `modelport: what listens at ${origin} does not know the token of MODELPORT_STUDIO; nothing was sent to it\n`,
    })
    writeFileSync(join(state, 'modelport/studio-address'), `${origin}/#wrong`, { mode: 0o600 })
    expect(await start('exit', state, {}, 3000).done).toEqual({ status: 0, stderr: '' })
  })

  test('when the later of two studios ends, programs find the first again', async () => {
    const state = temporaryFolder('attach')
    const first = await openStudio(state)
    await (await openStudio(state)).served.close()
    await start('run', state).done
    expect(await first.ended(2)).toHaveLength(2)
  })

  test('when the later of two studios is killed, programs find the first', async () => {
    const state = temporaryFolder('attach')
    const path = join(state, 'modelport/studio-address')
    const first = await openStudio(state)
    const before = readFileSync(path, 'utf8')
    const killed = killable(path)
    await expect.poll(() => readFileSync(path, 'utf8')).not.toBe(before)
    killed.kill('SIGKILL')
    await once(killed, 'close')
    const { stderr } = await start('throws', state).done
    expect(stderr).toContain(`this program is shown at ${new URL(first.served.url).origin}`)
    expect(await first.ended(1)).toMatchObject([{ title: 'the last question' }])
  })

  test('a studio that is too busy to prove that it runs keeps its address when another one starts', async () => {
    const state = temporaryFolder('attach')
    const path = join(state, 'modelport/studio-address')
    const busy = killable(path)
    onTestFinished(() => void busy.kill('SIGKILL'))
    await expect.poll(() => existsSync(path)).toBe(true)
    const left = readFileSync(path, 'utf8')
    busy.kill('SIGSTOP')
    const later = await openStudio(state)
    busy.kill('SIGCONT')
    expect(readFileSync(path, 'utf8')).toBe(`${later.served.programUrl}\n${left}`)
    await later.served.close()
    expect((await start('exit', state).done).stderr).toContain(new URL(left).origin)
  })

  test('MODELPORT_STUDIO=off keeps a program to itself although a studio runs', async () => {
    const state = temporaryFolder('attach')
    const studio = await openStudio(state)
    expect(await start('run', state, { MODELPORT_STUDIO: 'off' }).done).toEqual({
      status: 0,
      stderr: '',
    })
    expect(await studio.runs()).toEqual([])
  })
})

describe('the address that programs find', () => {
  test('only the owner can read the file of the address, and it is gone when the studio ends', async () => {
    const state = temporaryFolder('attach')
    const path = join(state, 'modelport/studio-address')
    const { served } = await openStudio(state)
    expect(readFileSync(path, 'utf8')).toBe(served.programUrl)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await served.close()
    expect(() => statSync(path)).toThrow('ENOENT')
  })

  test('a studio that ends leaves the address of one that was started after it', async () => {
    const state = temporaryFolder('attach')
    const first = await openStudio(state)
    const second = await openStudio(state)
    await first.served.close()
    expect(readFileSync(join(state, 'modelport/studio-address'), 'utf8')).toBe(
      second.served.programUrl,
    )
  })
})
