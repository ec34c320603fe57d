import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toSealed } from '../src/session/seal.js'
import { SessionStore } from '../src/session/session-store.js'
import { loadTools } from '../src/tools/tool-module.js'
import { useModel } from './set-up.js'
import { command, type Outcome, type World } from './test-io.js'
import { key, writeTools } from './wire.js'

const { home, server } = useModel({
  fields: 'profile: {prices: {input: 3, output: 15}}',
})
const sessionFolder = (): string => join(home.path, '.local/state/modelport/sessions')
const chat = (
  args: readonly string[],
  stdin: string,
  world: Partial<World> = {},
): Promise<Outcome> =>
  command(['chat', ...args], { home: home.path, stdin, environment: { MY_KEY: key }, ...world })
const events = (out: string): Record<string, unknown>[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('chat over a pipe', () => {
  test('chat over a pipe sends each line as a message of one conversation, and saves it for its owner only', async () => {
    const before = process.umask(0)
    const { code, out } = await chat([], `plain one\nplain two, not ${key}\n`).finally(() =>
      process.umask(before),
    )
    expect({ code, out }).toEqual({ code: 0, out: 'Plain text\nPlain text\n' })
    expect((server.requests.at(-1)?.body as { messages: unknown[] }).messages).toHaveLength(3)
    const [name = ''] = readdirSync(sessionFolder())
    expect(statSync(join(sessionFolder(), name)).mode & 0o777).toBe(0o600)
    expect(statSync(sessionFolder()).mode & 0o777).toBe(0o700)
    const text = readFileSync(join(sessionFolder(), name), 'utf8')
    expect(text).toContain('plain two, not [redacted]')
    expect(text).not.toContain(key)
  })

  test('chat over a pipe is resumed by its id, and by nothing as the latest', async () => {
    await chat(['-s', 'Be brief'], 'plain one\n')
    const [first] = (
      JSON.parse((await command(['sessions', '--json'], { home: home.path, stdin: '' })).out) as {
        sessions: { id: string; messages: number }[]
      }
    ).sessions
    expect(first?.messages).toBe(2)
    for (const resume of [['--resume'], ['--resume', first?.id ?? '']])
      await chat(resume, 'plain more\n')
    const { messages } = server.requests.at(-1)?.body as { messages: { role: string }[] }
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
    expect(readdirSync(sessionFolder())).toHaveLength(1)
    expect(
      (await command(['sessions', '--delete', first?.id ?? ''], { home: home.path, stdin: '' }))
        .code,
    ).toBe(0)
    expect(readdirSync(sessionFolder())).toEqual([])
    expect((await chat(['--resume'], 'x\n')).code).toBe(2)
  })

  test('--no-save keeps nothing', async () => {
    await chat(['--no-save'], 'plain\n')
    expect(existsSync(sessionFolder())).toBe(false)
  })

  test('with --json every event is a line', async () => {
    const { out } = await chat(['--json', '--no-save'], 'plain\n')
    expect(events(out).map(({ type }) => type)).toEqual([
      'session',
      'text-delta',
      'text-delta',
      'turn-end',
      'done',
      'cost',
    ])
  })

  test('a tool is refused where nobody can be asked, unless it is allowed', async () => {
    const tools = writeTools(home.path)
    const refused = events((await chat(['--json', '--no-save', '-t', tools], 'warm?\n')).out)
    expect(refused.find(({ type }) => type === 'tool-result')).toMatchObject({
      callId: 'call_1',
      isError: true,
      content: 'Not allowed: the user did not allow this call',
    })
    const allowed = events(
      (await chat(['--json', '--no-save', '-t', tools, '--allow-tools'], 'warm?\n')).out,
    )
    expect(allowed.find(({ type }) => type === 'tool-result')).toMatchObject({
      content: '{"city":"Rome\u202e","degrees":28}',
    })
  })

  test('a failure ends a chat over a pipe with its code', async () => {
    const { code, err } = await chat([], 'plain\n', {
      environment: { MY_KEY: 'sk-wrong-0123456789' },
    })
    expect(code).toBe(4)
    expect(err).toContain('error (auth)')
  })

  test('a chat has commands for its model and its usage, and names a model or a command that does not exist', async () => {
    const { err, code } = await chat(
      ['--no-save'],
      '/model\n/model other\n/model main\nplain\n/usage\n/nothing\n/help\n/exit\nplain\n',
    )
    expect(code).toBe(0)
    expect(err).toContain('model: main\n')
    expect(err).toContain('there is no model "other"')
    expect(err).toContain('12 in · 5 out · 0.00011 USD')
    expect(err).toContain('there is no /nothing')
    expect(server.requests).toHaveLength(1)
  })

  test('a chat without a line ends like any other', async () => {
    expect(await chat(['--no-save'], '')).toEqual({ code: 0, out: '', err: '' })
  })
})

describe('saved chats', () => {
  const store = (): SessionStore => new SessionStore(sessionFolder())

  test.each([
    '../config',
    '..%2f..%2fetc',
    'a/b',
    'x',
    '.'.repeat(20),
    'a'.repeat(65),
    'con\u0000aaaaaaaaaaaaaaaa',
    '/etc/passwd-aaaaaaaaaa',
  ])('the store of chats rejects %j as an id', async (id) => {
    await expect(store().load(id)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('is not an id of a saved chat') as string,
    })
    await expect(store().delete(id)).rejects.toMatchObject({ code: 'config' })
  })

  test('ids are told apart, and sorted by time', () => {
    const [a, b] = [SessionStore.newId(new Date(0)), SessionStore.newId(new Date())]
    expect(a < b).toBe(true)
    expect(SessionStore.newId(new Date(0))).not.toBe(a)
  })

  test('the store of chats reports a file that is not a saved chat', async () => {
    mkdirSync(sessionFolder(), { recursive: true })
    const file = join(sessionFolder(), '20260101-000000-aaaaaaaa.1.json')
    const facts = { model: 'main', createdAt: '', updatedAt: '' }
    const sealed = (value: object): string => toSealed(JSON.stringify(value, undefined, 1))
    for (const stored of [
      '',
      'null',
      '5',
      '{"version":1,"messages":[]}',
      JSON.stringify({ ...facts, version: 1, messages: [] }),
      sealed({ version: 1, messages: [] }),
      sealed({ ...facts, model: 5 }),
    ]) {
      writeFileSync(file, stored)
      await expect(store().load('20260101-000000-aaaaaaaa'), stored).rejects.toMatchObject({
        code: 'config',
        message: expect.stringContaining(`${file}: not a saved chat`) as string,
      })
    }
    writeFileSync(file, sealed({ ...facts, version: 9 }))
    await expect(store().load('20260101-000000-aaaaaaaa')).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringMatching(`^${file}: .*version`) as string,
    })
  })

  test('the store of chats reports a sessions folder that is not a folder', async () => {
    expect(
      await command(['sessions', '--sessions', '/dev/null'], { home: home.path, stdin: '' }),
    ).toMatchObject({
      code: 1,
      err: 'error: /dev/null: not a folder\n',
    })
  })
})

describe('a module with tools', () => {
  const load = (text: string): ReturnType<typeof loadTools> => {
    const file = join(home.path, `tools-${Math.random().toString(36).slice(2)}.mjs`)
    writeFileSync(file, text)
    return loadTools(file)
  }

  test('a module may have tools of both forms, and as the runtime makes them', async () => {
    const tools = await load(`export default [
      { name: 'a', description: 'A', execute: () => 1 },
      { definition: { name: 'b', description: 'B', parameters: { type: 'object' } }, execute: async (value, { callId }) => callId,
        validate: (value) => value.ok ? { ok: true, value } : { ok: false, message: 'not ok' } },
    ]`)
    expect(tools.map(({ definition }) => definition)).toEqual([
      { name: 'a', description: 'A' },
      { name: 'b', description: 'B', parameters: { type: 'object' } },
    ])
    const [, b] = tools
    expect(await b!.validate({})).toEqual({ ok: false, message: 'not ok' })
    const run = { runId: 'run_1', idempotencyKey: 'run_1/1/0' }
    expect(
      await b!.execute({}, { callId: 'call_7', step: 1, signal: AbortSignal.timeout(1000), run }),
    ).toBe('call_7')
  })

  test('a module that does not exist is an error', async () => {
    await expect(loadTools('/nowhere/tools.mjs')).rejects.toMatchObject({
      code: 'config',
      message: '/nowhere/tools.mjs: there is no such file',
    })
  })

  const wrong: [text: string, message: string][] = [
    ['export const tools = []', 'found nothing'],
    ['export default {}', 'found a object'],
    ['export default [5]', 'tool 1: expected { name'],
    [`export default [{ name: 'a b', description: '', execute() {} }]`, 'tool 1: name must be'],
    [
      `export default [{ name: 'a', execute() {} }]`,
      'tool 1 (a): description must be text, found nothing',
    ],
    [
      `export default [{ name: 'a', description: '', parameters: [], execute() {} }]`,
      'parameters must be a JSON Schema of an object, found a list',
    ],
    [
      `export default [{ name: 'a', description: '' }]`,
      'execute must be a function, found nothing',
    ],
    [
      `export default [1, 2].map(() => ({ name: 'a', description: '', execute() {} }))`,
      'two tools are named "a"',
    ],
    ['throw new Error("boom")', 'the tools do not load: boom'],
  ]
  test.each(wrong)('a wrong module with tools is a config error: %s', async (text, message) => {
    await expect(load(text)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(message) as string,
    })
  })
})
