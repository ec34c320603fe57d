import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { LlmError } from '@modelport/core'
import { optionForms } from '@modelport/core/settings'
import * as sandbox from '@modelport/factory/sandbox'
import { describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { hostFormats } from '../src/commands/host-formats.js'
import { exitCodeOf } from '../src/errors/exit-code-of.js'
import { exitCodes } from '../src/errors/exit-codes.js'
import { useModel } from './set-up.js'
import { command, type Outcome, startCommand, type World } from './test-io.js'
import { configOf, configure, key } from './wire.js'

const { home, server } = useModel({
  fields: 'profile: {prices: {input: 3, output: 15}}',
})
const cli = (args: readonly string[], world: Partial<World> = {}): Promise<Outcome> =>
  command(args, { home: home.path, stdin: '', environment: { MY_KEY: key }, ...world })

describe('complete', () => {
  test('the command complete writes the text into a pipe as the model wrote it', async () => {
    expect(await cli(['complete', 'be', 'evil'])).toEqual({
      code: 0,
      out: 'a\u001b]52;c;ZXZpbA==\u0007b\u001b[2Jc\rd \u202etxt\n',
      err: '',
    })
  })

  test('the command complete makes text safe for a terminal', async () => {
    const { out } = await cli(['complete', 'be evil'], { terminal: true })
    expect(out).toBe('abcd txt\n')
  })

  test('the command complete takes what is piped in after the arguments', async () => {
    await cli(['complete', 'Say it plain:'], { stdin: 'line one\nline two\n' })
    expect(server.requests.at(-1)?.body).toMatchObject({
      messages: [{ role: 'user', content: 'Say it plain:\n\nline one\nline two' }],
    })
  })

  test('the command complete prints data with --json, with usage and cost', async () => {
    const { out, code } = await cli(['complete', '--json', 'plain'])
    expect(JSON.parse(out)).toMatchObject({
      text: 'Plain text',
      finishReason: 'stop',
      usage: { inputTokens: 12, outputTokens: 5 },
      cost: { amount: 0.000111, currency: 'USD' },
    })
    expect(code).toBe(0)
  })

  test('--schema ends with an error if the reply does not fit, is not JSON or was cut', async () => {
    const file = join(home.path, 'other.json')
    writeFileSync(
      file,
      JSON.stringify({ type: 'object', properties: { ok: { type: 'string' } }, required: ['ok'] }),
    )
    for (const args of [[], ['--json']])
      expect(await cli(['complete', '--schema', file, ...args, 'x'])).toMatchObject({
        code: 16,
        err: expect.stringContaining('the reply does not fit the schema') as string,
      })
  })

  test('--base-url needs no configuration, and does not move a configured model', async () => {
    await server.restart({ apiKey: '' })
    const bare = { home: join(home.path, 'bare'), stdin: '' }
    expect(
      await command(['complete', '--base-url', `${server.url}/v1`, 'be plain'], bare),
    ).toMatchObject({
      code: 0,
      out: 'Plain text\n',
    })
    expect(
      await cli(['complete', '-m', 'main', '--base-url', 'http://127.0.0.1:9/v1', 'x']),
    ).toMatchObject({
      code: 3,
      err: expect.stringContaining(
        '--base-url cannot change the configured model "main"',
      ) as string,
    })
  })

  test('the command complete refuses a provider package that was not allowed at a terminal, and does not run it', async () => {
    const ran = join(home.path, 'ran')
    const module = join(home.path, 'acme.mjs')
    writeFileSync(
      module,
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(ran)}, '')`,
    )
    configure(home.path, server.url, `package: ${module}`)
    writeFileSync(
      configOf(home.path),
      readFileSync(configOf(home.path), 'utf8').replace('openai-compatible', 'acme'),
    )
    expect(await cli(['complete', 'x'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('acme.mjs is code, and has not been allowed yet') as string,
    })
    expect(existsSync(ran)).toBe(false)
    expect((await cli(['hosts'])).out).toContain('127.0.0.1')
  })

  test('--schema with an unknown type is refused before anything is sent', async () => {
    const file = join(home.path, 'unknown-type.json')
    writeFileSync(file, '{"type":"object","properties":{"a":{"type":"text"}}}')
    // A key that the server refuses would end with 4.
    const environment = { MY_KEY: 'sk-wrong-0123456789' }
    expect(await cli(['complete', '--schema', file, 'x'], { environment })).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(
        'the type "text" (at #/properties/a) is not one of string',
      ) as string,
    })
  })

  test('the command complete passes options on, and a schema', async () => {
    const file = join(home.path, 'schema.json')
    writeFileSync(
      file,
      '{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}',
    )
    const { out } = await cli([
      'complete',
      '--schema',
      file,
      '--max-tokens',
      '50',
      '--temperature',
      '0',
      '-s',
      'Be brief',
      'go',
    ])
    expect(out).toBe('{"ok": true}\n')
    expect(server.requests.at(-1)?.body).toMatchObject({
      temperature: 0,
      messages: [{ role: 'system', content: 'Be brief' }, {}],
    })
  })

  test('the command complete says that a reply was cut, and what it cost', async () => {
    const { err } = await cli(['complete', '--usage', 'plain, cut'])
    expect(err).toBe('warning: the reply was cut at the token limit\n12 in · 5 out · 0.00011 USD\n')
  })

  const wrong: [what: string, args: string[], code: number, message: string][] = [
    ['no prompt', ['complete'], 2, 'there is no prompt'],
    ['no such model', ['complete', '-m', 'other', 'x'], 3, 'configured: main'],
    [
      'no configuration',
      ['complete', '-c', '/nowhere/config.yaml', 'x'],
      3,
      'there is no such file',
    ],
    ['a configuration without a name', ['complete', '-c', '', 'x'], 2, 'it is empty'],
    ['text instead of a number', ['complete', '--max-tokens', 'many', 'x'], 2, 'must be a number'],
    ['no count', ['complete', '--max-tokens', '0', 'x'], 2, 'a whole number above 0'],
    ['a schema that is a folder', ['complete', '--schema', '/tmp', 'x'], 1, '/tmp: it is a folder'],
    ['an unknown option', ['complete', '--colour=sk-secret', 'x'], 2, `unknown option '--colour'`],
    [
      'an option of no subcommand',
      ['agent', 'card', '--colour'],
      2,
      'For usage, run: modelport agent card --help',
    ],
    ['a missing argument', ['mcp', 'list'], 2, 'For usage, run: modelport mcp list --help'],
    ['a schema that is not JSON', ['complete', '--schema', '/dev/null', 'x'], 2, 'not valid JSON'],
  ]
  test.each(wrong)(
    'wrong arguments have their message and exit code: %s',
    async (_what, args, code, message) => {
      const outcome = await cli(args)
      expect(outcome).toMatchObject({ code, out: '' })
      expect(outcome.err).toContain(message)
      expect(outcome.err).not.toContain('sk-secret')
    },
  )

  test('a refused key ends with its own code, as text and as data', async () => {
    const environment = { MY_KEY: 'sk-wrong-0123456789' }
    expect(await cli(['complete', 'x'], { environment })).toMatchObject({ code: 4, out: '' })
    const { err, code } = await cli(['complete', '--json', 'x'], { environment })
    expect(code).toBe(4)
    expect(JSON.parse(err)).toMatchObject({
      error: { code: 'auth', fix: expect.stringContaining('key') as string },
      exitCode: 4,
    })
    expect(err).not.toContain('sk-wrong')
  })

  test.each([
    ['keys\n', ':1: expected NAME=value; correct the line, or delete it'],
    [undefined, 'cannot be read: it is a folder; make it a file that you can read, or delete it'],
  ])('a key file that cannot be used is named, with what to do: %j', async (text, message) => {
    const folder = join(temporaryFolder('keys'), '.config/modelport')
    mkdirSync(text === undefined ? join(folder, 'keys.env') : folder, { recursive: true })
    if (text !== undefined) writeFileSync(join(folder, 'keys.env'), text)
    const { code, err } = await command(['complete', 'x'], {
      home: join(folder, '../..'),
      stdin: '',
    })
    expect(code).toBe(3)
    expect(err).toContain(message)
  })

  test('wrong arguments are data too, with --json', async () => {
    const { err, code } = await cli(['complete', '--json', '--colour=sk-secret'])
    expect(code).toBe(2)
    expect(JSON.parse(err)).toEqual({
      error: { code: 'usage', message: `unknown option '--colour'` },
      exitCode: 2,
    })
  })

  test('Ctrl-C ends with 130, without a word', async () => {
    const running = startCommand(['complete', 'be slow'], {
      home: home.path,
      stdin: '',
      environment: { MY_KEY: key },
      onOutput: () => {
        running.interrupt()
      },
    })
    const { code, err } = await running.done
    expect({ code, err }).toEqual({ code: 130, err: '' })
  })

  test('the command complete exits normally when the reader closes the pipe', async () => {
    const running = startCommand(['complete', 'be slow'], {
      home: home.path,
      stdin: '',
      environment: { MY_KEY: key },
      onOutput: () => {
        running.breakOutput('EPIPE')
      },
    })
    const { code, err } = await running.done
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  test.each([
    ['a long answer', 'be slow'],
    ['the last write of a short one', 'be evil'],
  ])('a full disk is reported as one: %s', async (_what, prompt) => {
    const running = startCommand(['complete', prompt], {
      home: home.path,
      stdin: '',
      environment: { MY_KEY: key },
      onOutput: () => {
        running.breakOutput('ENOSPC')
      },
    })
    const { code, err } = await running.done
    expect({ code, err }).toEqual({ code: 1, err: 'error: ENOSPC: write\n' })
  })
})

describe('exit codes', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| (\d+) \| (.*?) \|/gm)].map(
    ([, code, names = '']) =>
      [Number(code), [...names.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name)] as const,
  )
  const errors = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const known = [...errors.matchAll(/^\| `([a-z-]+)` \| .* \| (?:yes|no)/gm)].map(
    ([, name = '']) => name,
  )

  test.each(known)('docs/cli.md has the exit code of %s', (name) => {
    const code = exitCodeOf(new LlmError(name as LlmError['code'], 'x'))
    expect(rows.find(([, names]) => names.includes(name))?.[0]).toBe(code)
  })

  test('docs/cli.md has every other exit code', () => {
    expect(known.length).toBeGreaterThan(20)
    expect(rows.map(([code]) => code)).toEqual(expect.arrayContaining(Object.values(exitCodes)))
  })
})

describe('nothing is contacted before it is needed', () => {
  const quiet: string[][] = [
    ['--help'],
    ['chat', '--help'],
    ['--version'],
    ['hosts'],
    ['hosts', '-f', 'deno'],
    ['models'],
    ['sessions'],
    ['doctor', '--until', 'config'],
  ]
  test.each(quiet.map((args) => [args.join(' '), args] as const))(
    'nothing is contacted by %s',
    async (_title, args) => {
      const connect = vi.spyOn(Socket.prototype, 'connect')
      try {
        expect((await cli(args)).code).toBe(0)
        expect(connect).not.toHaveBeenCalled()
      } finally {
        connect.mockRestore()
      }
      expect(server.requests).toHaveLength(0)
    },
  )
})

test('docs/cli.md lists every value of --reasoning', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  const listed = /`--reasoning` \(([^)]*)\)/.exec(page)?.[1]?.match(/[a-z]+(?=`)/g)
  expect(listed).toEqual(optionForms.reasoning.values)
})

describe('hosts', () => {
  test.each(hostFormats)('the command hosts lists the hosts as %s', async (format) => {
    const { out, code } = await cli(['hosts', '-m', 'anthropic', '-f', format])
    expect(code).toBe(0)
    expect(out).toContain(
      { node: '--allow-net', kubernetes: 'NetworkPolicy' }[format] ?? 'api.anthropic.com',
    )
  })

  test('the command hosts offers every form of the sandbox package', () => {
    const forms = Object.keys(sandbox)
      .filter((name) => /^to[A-Z]/.test(name))
      .map((name) => name.slice(2).toLowerCase())
    expect(forms.length).toBeGreaterThan(9)
    expect(hostFormats.map((name) => name.replaceAll('-', ''))).toEqual(
      expect.arrayContaining(forms),
    )
  })

  test('the command hosts does not say that the program needs a variable which it may read', async () => {
    const { err } = await cli(['hosts', '-m', 'openai-compatible:x', '--format', 'deno'])
    expect(err).toContain(
      'note: the program may read the environment variable OPENAI_COMPATIBLE_API_KEY\n',
    )
    expect(err).not.toContain('needs')
  })

  test('the command hosts lists those of the whole configuration, as data', async () => {
    const { out } = await cli(['hosts', '--json', '--format', 'srt'])
    expect(JSON.parse(out)).toMatchObject({
      hosts: [{ host: '127.0.0.1', scheme: 'http', purpose: 'api' }],
      environment: ['MY_KEY', 'OP_MY_KEY'],
      allowList: { target: 'srt 0.0.68 or later' },
    })
  })

  test('what a form of a list cannot say goes to the error output', async () => {
    expect((await cli(['hosts', '-m', 'anthropic', '-f', 'codex'])).err).toContain(
      'warning: this form has no ports',
    )
  })
})

describe('models', () => {
  test('the command models lists what is configured, as text and as data', async () => {
    expect((await cli(['models'])).out).toBe(
      `main  openai-compatible:my-model  ${new URL(server.url).host}  roles: chat\n`,
    )
    expect(JSON.parse((await cli(['models', '--json'])).out)).toMatchObject({
      models: [{ name: 'main', provider: 'openai-compatible', roles: ['chat'] }],
    })
  })

  test('models --prices lists what the tokens of each model cost, with source and date', async () => {
    const { out } = await cli(['models', '--prices', '--model', 'openai:gpt-5.4'])
    expect(out).toBe(
      'openai:gpt-5.4  openai:gpt-5.4  api.openai.com:443  ' +
        'USD for a million tokens: input 2.5, output 15, cache read 0.25; ' +
        'above 271999 tokens: input 5, output 22.5, cache read 0.5; ' +
        'https://developers.openai.com/api/docs/pricing, 2026-09-23\n',
    )
    const data = JSON.parse(
      (await cli(['models', '--prices', '--json', '--model', 'openai:gpt-5.4'])).out,
    ) as object
    expect(data).toMatchObject({
      models: [{ prices: { prices: { input: 2.5, output: 15 }, date: '2026-09-23' } }],
    })
  })

  test('models --prices says why a model has no price, and never shows zero', async () => {
    const unknown = await cli(['models', '--prices', '--model', 'perplexity:sonar'])
    expect(unknown.out).toContain(
      'no price: it has a price in a unit that prices do not have: requests_kcount',
    )
    const local = await cli(['models', '--prices', '--model', 'ollama'])
    expect(local.out).toContain('no price: no list knows what a server of your own costs')
    const own = await cli(['models', '--prices', '--model', 'main'])
    expect(own.out).toContain('input 3, output 15; the profile')
  })

  test('models --remote says why there is no list', async () => {
    const { err, code } = await cli(['models', '--remote'])
    expect(code).toBe(20)
    expect(err).toContain('main:')
  })
})

test('a chat is recorded through a proxy too, without its password', async () => {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '')
    response
      .setHeader('content-type', 'application/json')
      .end('{"choices":[{"message":{"content":"no"},"finish_reason":"stop"}]}')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  configure(home.path, 'http://model.test', 'proxy_env: HTTP_PROXY')
  const file = join(home.path, 'cassette.json')
  const { port } = proxy.address() as AddressInfo
  const { err } = await cli(['chat', '--no-save', '--record', file], {
    stdin: 'Is it warm?\n',
    environment: { MY_KEY: key, HTTP_PROXY: `http://me:p%40ss-of-tests@127.0.0.1:${port}` },
  })
  expect(err).not.toMatch(/p(@|%40)ss/)
  expect(asked).toEqual(['http://model.test/v1/chat/completions'])
  proxy.close()
})

describe('a key as an option', () => {
  test.each([
    '--api-key',
    '--apikey',
    '--key',
    '--token',
    '--api_key',
    '--auth-token',
    '--secret',
    '--password',
    '--access-key',
    '-key',
  ])('a key in the option %s is refused, and not repeated', async (flag) => {
    for (const args of [
      ['complete', flag, key, 'x'],
      ['complete', `${flag}=${key}`, 'x'],
    ]) {
      const { code, err, out } = await cli(args)
      expect(code).toBe(2)
      expect(err).toContain('is not offered')
      expect(err + out).not.toContain(key)
    }
  })

  test('a key after -- is text', async () => {
    expect((await cli(['complete', '--', '--key', 'plain'])).code).toBe(0)
  })
})

test('--config and --json stand before or after the command', async () => {
  const file = join(home.path, 'elsewhere.yaml')
  writeFileSync(file, readFileSync(configOf(home.path), 'utf8').replaceAll('main', 'elsewhere'))
  const { out } = await cli(['models', '--config', file, '--json'])
  expect(JSON.parse(out)).toMatchObject({ models: [{ name: 'elsewhere' }] })
  for (const args of [
    ['--config', file, '--json', 'models'],
    ['--json', 'models', '-c', file],
    ['-c', file, 'models', '--json'],
  ])
    expect(await cli(args)).toEqual({ code: 0, out, err: '' })
  // The nearer one wins.
  expect((await cli(['-c', '/nowhere.yaml', 'models', '-c', file, '--json'])).out).toBe(out)
  expect(await cli(['--config', file])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Usage:') as string,
  })
})

test.each([
  ['complete --temp 3', '--temp', '(Did you mean --temperature?)\n', 'complete'],
  ['hosts --modle x', '--modle', '(Did you mean --model?)\n', 'hosts'],
  ['sessions --elp', '--elp', '', 'sessions'],
])(
  '%s suggests an option that begins like it, and never just any',
  async (line, flag, suggestion, name) => {
    const outcome = await cli(line.split(' '))
    expect(outcome).toEqual({
      code: 2,
      out: '',
      err: `error: unknown option '${flag}'\n${suggestion}For usage, run: modelport ${name} --help\n`,
    })
  },
)

test('help of an unknown command names it and the nearest command', async () => {
  const told = {
    code: 2,
    out: '',
    err: "error: unknown command 'chta'\n(Did you mean chat?)\nFor usage, run: modelport --help\n",
  }
  expect(await cli(['chta'])).toEqual(told)
  expect(await cli(['help', 'chta'])).toEqual(told)
  expect(await cli(['help', 'nothing', '--json'])).toMatchObject({
    code: 2,
    err: expect.stringContaining("unknown command 'nothing'") as string,
  })
  for (const args of [['help'], ['help', 'help']])
    expect(await cli(args)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Talk to any language model.') as string,
    })
  expect(await cli(['help', 'chat'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('talk with a model') as string,
  })
})
