import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCassette, replayCassette } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import type { Cli } from '../src/context/cli.js'
import { openCassette } from '../src/studio/cassette-model.js'
import { useModel } from './set-up.js'
import { command, type Outcome, startCommand } from './test-io.js'
import { key, writeTools } from './wire.js'

const { home, server } = useModel({ fields: '' })
const chat = (args: readonly string[], stdin: string): Promise<Outcome> =>
  command(['chat', ...args], { home: home.path, stdin, environment: { MY_KEY: key } })
const lines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
/** The bodies of all replies that a cassette gives for the requests that were recorded. */
async function replayed(file: string): Promise<string> {
  const cassette = parseCassette(JSON.parse(readFileSync(file, 'utf8')))
  const player = replayCassette(cassette)
  let text = ''
  for (const { request } of cassette.exchanges)
    text += await (
      await player(request.url, { ...request, body: JSON.stringify(request.body) })
    ).text()
  player.assertAllUsed()
  return text
}

describe('chat --record', () => {
  test('chat --record keeps the whole chat, tools included, without the key; the cassette says it again without a server', async () => {
    const file = join(home.path, 'chat.cassette.json')
    const recorded = await chat(
      [
        '--record',
        file,
        '--no-save',
        '-s',
        'Be brief',
        '--allow-tools',
        '-t',
        writeTools(home.path),
      ],
      `warm?\nand my key is ${key}?\n`,
    )
    expect(recorded).toMatchObject({
      code: 0,
      err: expect.stringContaining('recorded 4 exchanges in') as string,
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, 'utf8')
    expect(text).not.toContain(key)
    expect(text).not.toMatch(/Bearer (?!\[)/)
    await server.close()
    const again = await replayed(file)
    expect(again).toContain('get_weather')
    expect(again).toContain('warm')
  })

  test('chat --record keeps a chat that was resumed', async () => {
    await chat([], 'plain one\n')
    const file = join(home.path, 'more.json')
    await chat(['--resume', '--record', file], 'plain two\n')
    await server.close()
    expect(await replayed(file)).toContain('Plain')
    expect(readFileSync(file, 'utf8')).toContain('plain one')
  })

  test('the studio opens what chat --record wrote, and replays it', async () => {
    const file = join(home.path, 'chat.json')
    await chat(['--no-save', '--record', file], 'plain one\n')
    await server.close()
    const model = await openCassette(JSON.parse(readFileSync(file, 'utf8')), { context: {} } as Cli)
    const provider = await model.open(fetch)
    const reader = await provider.streamWithHistory([{ role: 'user', content: 'plain one' }])
    for await (const _ of reader);
    expect([model.note, reader.fullText()]).toEqual([
      expect.stringContaining('1 recorded exchange'),
      'Plain text',
    ])
  })

  test('--json reports what was recorded; another model is refused, and the chat continues', async () => {
    const file = join(home.path, 'chat.json')
    const { code, out, err } = await chat(
      ['--json', '--no-save', '--record', file],
      'plain one\n/model main\n/model openai-compatible:other\n/clear\nplain two\n',
    )
    expect(code).toBe(0)
    expect(lines(out).at(-1)).toEqual({ type: 'recorded', file, exchanges: 2 })
    const refusal = {
      code: 'unsupported',
      message: expect.stringContaining('another model is not possible') as string,
    }
    expect(lines(err)).toMatchObject([{ error: refusal }, { error: refusal }])
  })

  test('chat --record ends before a reply that failed; the part before it can be replayed', async () => {
    const file = join(home.path, 'chat.json')
    const running = startCommand(['chat', '--no-save', '--record', file], {
      home: home.path,
      stdin: 'plain one\nplain two\n',
      environment: { MY_KEY: key },
      onOutput: (text) => {
        if (text.includes(' text')) void server.close()
      },
    })
    expect((await running.done).err).toContain('the recording ends before this reply')
    expect(parseCassette(JSON.parse(readFileSync(file, 'utf8'))).exchanges).toHaveLength(1)
    expect(await replayed(file)).toContain('text')
  })

  test('a file that cannot be written is known before anything is asked', async () => {
    for (const [file, told] of [
      ['/dev/null/chat.json', 'not a folder'],
      [home.path, 'it is a folder'],
    ] as const) {
      expect(await chat(['--no-save', '--record', file], 'plain\n')).toEqual({
        code: 1,
        out: '',
        err: `error: ${file}: ${told}\n`,
      })
    }
    expect(server.requests).toEqual([])
  })

  test('an existing recording stays until there is a reply', async () => {
    const file = join(home.path, 'chat.json')
    writeFileSync(file, 'kept')
    expect((await chat(['--no-save', '--record', file], '')).err).toContain('nothing was recorded')
    expect(readFileSync(file, 'utf8')).toBe('kept')
    expect(readdirSync(home.path).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('chat --record writes no file if there is no reply', async () => {
    const file = join(home.path, 'chat.json')
    expect((await chat(['--no-save', '--record', file], '')).err).toContain('nothing was recorded')
    expect(existsSync(file)).toBe(false)
  })
})

describe('tools in chat', () => {
  const tools = (text: string, name = 'slow'): string => {
    const file = join(home.path, `${name}.mjs`)
    writeFileSync(file, text)
    return file
  }
  const hanging = `export default [{ name: 'wait', description: 'Waits', execute: (_, { signal }) => new Promise(() => { signal.addEventListener('abort', () => { globalThis.waitAborted = true }) }) }]`

  test('a tool call over its time limit gets an error result, its signal aborts, and the chat continues', async () => {
    const { code, out } = await chat(
      ['--json', '--no-save', '-t', tools(hanging), '--allow-tools', '--tool-timeout', '0.05'],
      'go\n',
    )
    expect(code).toBe(0)
    expect(lines(out).find(({ type }) => type === 'tool-result')).toMatchObject({
      isError: true,
      content:
        'The tool "wait" did not answer within 50 ms; whether it had an effect is unknown. Do not make the same call again: find out first whether it happened, or tell the user.',
    })
    expect((globalThis as { waitAborted?: boolean }).waitAborted).toBe(true)
    expect(lines(out).at(-1)).toMatchObject({ type: 'done', reason: 'stop' })
  })

  test('a tool may say itself how long it takes', async () => {
    const own = hanging.replace(`description:`, `timeoutMs: 30, description:`)
    const { out } = await chat(['--json', '--no-save', '-t', tools(own), '--allow-tools'], 'go\n')
    expect(lines(out).find(({ type }) => type === 'tool-result')).toMatchObject({
      content: expect.stringContaining('within 30 ms') as string,
    })
    expect(
      await chat(['--no-save', '-t', tools(own.replace('30', '-1'), 'wrong')], 'go\n'),
    ).toMatchObject({
      code: 3,
      err: expect.stringContaining('timeoutMs must be a number above 0') as string,
    })
  })

  test.each(['0', '-1', 'soon'])('chat rejects --tool-timeout %s', async (value) => {
    expect((await chat(['--tool-timeout', value], 'x\n')).code).toBe(2)
    expect(
      (await command(['complete', '--tool-timeout', value, 'x'], { home: home.path, stdin: '' }))
        .code,
    ).toBe(2)
    expect(
      (await command(['doctor', '--timeout', value], { home: home.path, stdin: '' })).code,
    ).toBe(2)
  })
})

test('with --json, commands of a chat, warnings and unknown commands are lines of JSON', async () => {
  mkdirSync(join(home.path, '.local/state/modelport/sessions'), { recursive: true })
  writeFileSync(
    join(home.path, '.local/state/modelport/sessions/20260101-000000-aaaaaaaa.1.json'),
    'broken',
  )
  writeFileSync(join(home.path, '.config/modelport/keys.env'), `MY_KEY=${key}\n`, { mode: 0o644 })
  const { code, out, err } = await chat(
    ['--json', '--no-save'],
    '/help\n/model\n/usage\n/nothing\nplain\n',
  )
  expect(code).toBe(0)
  expect(
    lines(out)
      .slice(0, 4)
      .map(({ type }) => type),
  ).toEqual(['session', 'commands', 'model', 'usage'])
  expect(lines(err)).toMatchObject([
    { warning: expect.stringContaining('chmod 600') as string },
    { error: { code: 'usage' }, exitCode: 2 },
  ])
  const listed = await command(['sessions', '--json'], { home: home.path, stdin: '' })
  expect(listed).toMatchObject({ code: 0, out: '{"sessions":[]}\n' })
  expect(lines(listed.err).at(-1)).toMatchObject({
    warning: expect.stringContaining('not a saved chat') as string,
  })
})
