import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findRunning, isOllama } from '../src/init/running-servers.js'
import { useModel } from './set-up.js'
import { command, type Outcome, type World } from './test-io.js'
import { configOf, key, startModel } from './wire.js'

const { home, server } = useModel()
const keysOf = (): string => join(home.path, '.config/modelport/keys.env')
const init = (args: readonly string[], world: Partial<World> = {}): Promise<Outcome> =>
  command(
    [
      'init',
      '-p',
      'openai-compatible',
      '-m',
      'my-model',
      '--base-url',
      `${server.url}/v1`,
      ...args,
    ],
    {
      home: home.path,
      stdin: '',
      ...world,
    },
  )
const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('init without a terminal', () => {
  test('init without a terminal tests, and writes files for the owner alone whatever the umask', async () => {
    const before = process.umask(0)
    try {
      const { code, out } = await init(['--key-stdin', '--json'], { stdin: `${key}\n` })
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({
        name: 'main',
        provider: 'openai-compatible',
        model: 'my-model',
        config: configOf(home.path),
        keys: keysOf(),
      })
    } finally {
      process.umask(before)
    }
    expect([configOf(home.path), keysOf()].map(modeOf)).toEqual([0o600, 0o600])
    expect(modeOf(join(home.path, '.config/modelport'))).toBe(0o700)
    expect(readFileSync(configOf(home.path), 'utf8')).toBe(
      `models:\n  - name: main\n    provider: openai-compatible\n    model: my-model\n    base_url: ${server.url}/v1\n    api_key_env: MODELPORT_KEY_MAIN\nroles:\n  chat: main\n`,
    )
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/props'])
  })

  test('init without a terminal adds to a file; its comments and other parts stay', async () => {
    mkdirSync(join(home.path, '.config/modelport'), { recursive: true })
    writeFileSync(
      configOf(home.path),
      '# mine\nmodels:\n  - {name: main, provider: ollama, model: llama3.2} # local\nroles: {chat: main}\nother: 1\n',
    )
    expect((await init(['--key-env', 'MY_KEY'], { environment: { MY_KEY: key } })).code).toBe(0)
    const text = readFileSync(configOf(home.path), 'utf8')
    expect(text).toContain('# mine')
    expect(text).toContain('# local')
    expect(text).toContain('other: 1')
    expect(text).toContain('name: main-2')
    expect(text).toContain('chat: main }')
    const { out } = await command(['models', '--json'], { home: home.path, stdin: '' })
    expect(
      (JSON.parse(out) as { models: { name: string }[] }).models.map(({ name }) => name),
    ).toEqual(['main', 'main-2'])
  })

  test('init without a terminal keeps each key under a name of its model, and leaves the other lines of the key file as they are', async () => {
    mkdirSync(join(home.path, '.config/modelport'), { recursive: true })
    writeFileSync(
      keysOf(),
      'OTHER=x\nexport OPENAI_COMPATIBLE_API_KEY="old"\nMODELPORT_KEY_MAIN=older\n',
      {
        mode: 0o644,
      },
    )
    const { code, err } = await init(['--key-stdin'], { stdin: key })
    expect(code).toBe(0)
    expect(err).toContain(`others can read ${keysOf()}`)
    expect(readFileSync(keysOf(), 'utf8')).toBe(
      `OTHER=x\nexport OPENAI_COMPATIBLE_API_KEY="old"\nMODELPORT_KEY_MAIN=older\nMODELPORT_KEY_MAIN_2=${key}\n`,
    )
    expect(readFileSync(configOf(home.path), 'utf8')).toContain('api_key_env: MODELPORT_KEY_MAIN_2')
    expect(modeOf(keysOf())).toBe(0o600)
  })

  test('init without a terminal does not replace a key that --key-env names', async () => {
    mkdirSync(join(home.path, '.config/modelport'), { recursive: true })
    writeFileSync(keysOf(), 'MINE=another-key-0123\n', { mode: 0o600 })
    const outcome = await init(['--key-stdin', '--key-env', 'MINE'], { stdin: key })
    expect(outcome).toMatchObject({
      code: 3,
      err: expect.stringContaining('has another key named MINE') as string,
    })
    expect(outcome.err).not.toContain('another-key-0123')
    expect(readFileSync(keysOf(), 'utf8')).toBe('MINE=another-key-0123\n')
    expect(existsSync(configOf(home.path))).toBe(false)
  })

  test('init without a terminal sends the key of each of two servers to that server alone', async () => {
    const other = await startModel({ apiKey: 'sk-other-0123456789' })
    try {
      expect((await init(['--key-stdin', '-n', 'first'], { stdin: key })).code).toBe(0)
      const second = ['--key-stdin', '-n', 'second', '--base-url', `${other.url}/v1`]
      expect((await init(second, { stdin: 'sk-other-0123456789' })).code).toBe(0)
      for (const name of ['first', 'second', 'first'])
        expect(
          await command(['complete', '-m', name, 'be plain'], { home: home.path, stdin: '' }),
        ).toMatchObject({
          code: 0,
          out: 'Plain text\n',
        })
      expect(JSON.stringify(other.requests)).not.toContain(key)
      expect(JSON.stringify(server.requests)).not.toContain('sk-other')
    } finally {
      await other.close()
    }
  })

  test('init without a terminal says how to save a model whose server is too slow for the test', async () => {
    const late = { status: 408, headers: { 'content-type': 'application/json' }, pieces: ['{}'] }
    await server.restart({ reply: () => late })
    const outcome = await init(['--key-stdin'], { stdin: key })
    expect(outcome).toMatchObject({ code: 14, out: '' })
    expect(outcome.err).toContain(
      'nothing is saved: add --no-test to save the model without the test',
    )
    expect(existsSync(configOf(home.path))).toBe(false)
  })

  test('init without a terminal names every option that it needs without a terminal', async () => {
    const { code, err } = await command(['init'], { home: home.path, stdin: '' })
    expect({ code, err }).toEqual({
      code: 2,
      err: 'error: not a terminal: pass --provider and --model, and --base-url for a server of your own\n',
    })
  })

  const refused: [
    what: string,
    args: string[],
    world: Partial<World>,
    code: number,
    message: string,
  ][] = [
    [
      'a key that is refused',
      ['--key-stdin'],
      { stdin: 'sk-wrong-0123456789' },
      4,
      'key was refused',
    ],
    ['a key of several lines', ['--key-stdin', '--no-test'], { stdin: 'a\nb' }, 3, 'line break'],
    ['an empty key', ['--key-stdin'], { stdin: '' }, 2, 'nothing was piped in'],
    ['an unknown provider', ['-p', 'antropic'], {}, 3, 'did you mean "anthropic"'],
    ['an address that is not a URL', ['--base-url', 'localhost', '--no-test'], {}, 3, 'base_url'],
  ]
  test.each(refused)(
    'nothing is written when init fails: %s',
    async (_what, args, world, code, message) => {
      const outcome = await init(args, world)
      expect(outcome).toMatchObject({ code, out: '' })
      expect(outcome.err).toContain(message)
      expect(existsSync(configOf(home.path))).toBe(false)
      expect(existsSync(keysOf())).toBe(false)
    },
  )

  test('a configuration that is broken is left alone', async () => {
    mkdirSync(join(home.path, '.config/modelport'), { recursive: true })
    writeFileSync(configOf(home.path), 'models: 5\n')
    expect(await init(['--no-test'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('config.yaml:1') as string,
    })
    expect(readFileSync(configOf(home.path), 'utf8')).toBe('models: 5\n')
  })

  test('init refuses a name that is taken', async () => {
    expect((await init(['--no-test'])).code).toBe(0)
    expect(await init(['--no-test', '-n', 'main'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('already') as string,
    })
  })
})

test('a server is found while its port takes connections', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const rows = [
    {
      name: 'mine',
      selfHosted: true,
      baseUrl: `http://localhost:${port}`,
      keyEnv: [],
      needsKey: false,
    },
  ]
  const find = (signal: AbortSignal) => findRunning(rows, signal)
  const { signal } = new AbortController()
  expect(await find(signal)).toEqual(new Set(['mine']))
  expect(await find(AbortSignal.abort())).toEqual(new Set())
  await new Promise((resolve) => server.close(resolve))
  expect(await find(signal)).toEqual(new Set())
})

test('Ollama is found by its list of models, not by its port', async () => {
  const bodies: Record<string, string> = { '/api/tags': '{"models":[]}' }
  const ollama = createServer((request, response) =>
    response.end(bodies[request.url ?? ''] ?? 'hello'),
  )
  await new Promise<void>((resolve) => ollama.listen(0, '127.0.0.1', resolve))
  const { port } = ollama.address() as AddressInfo
  const { signal } = new AbortController()
  try {
    expect(await isOllama(port, signal)).toBe(true)
    bodies['/api/tags'] = '<html>'
    expect(await isOllama(port, signal)).toBe(false)
  } finally {
    ollama.close()
  }
  expect(await isOllama(port, signal)).toBe(false)
})
