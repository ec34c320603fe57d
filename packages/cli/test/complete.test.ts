import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome, type World } from './test-io.js'
import { configure, key, writeTools } from './wire.js'

const { home, server } = useModel({
  fields: 'profile: {prices: {input: 3, output: 15}}',
})
const complete = (args: readonly string[], world: Partial<World> = {}): Promise<Outcome> =>
  command(['complete', ...args], {
    home: home.path,
    stdin: '',
    environment: { MY_KEY: key },
    ...world,
  })
const sent = (): Readonly<Record<string, unknown>> =>
  server.requests.at(-1)?.body as Readonly<Record<string, unknown>>
const pixel = Buffer.from('iVBORw0KGgo=', 'base64')

describe('complete', () => {
  test('the command complete sends sampling options with the names of the library', async () => {
    const flags =
      '--temperature 0.1 --top-p 0.5 --seed 7 --stop END --stop ### --max-tokens 9 --reasoning low -s Brief'
    expect(await complete([...flags.split(' '), 'plain'])).toMatchObject({
      code: 0,
      out: 'Plain text\n',
    })
    expect(sent()).toMatchObject({
      temperature: 0.1,
      top_p: 0.5,
      seed: 7,
      stop: ['END', '###'],
      reasoning_effort: 'low',
      messages: [{ role: 'system', content: 'Brief' }, { role: 'user' }],
    })
  })

  const wrong: [args: string, message: string][] = [
    [
      '--temperature 3 x',
      "option '--temperature <number>' argument '3' is invalid: it must be a number, 0 to 2.",
    ],
    [
      '--top-p 2 x',
      "option '--top-p <share>' argument '2' is invalid: it must be a number, 0 to 1.",
    ],
    [
      '--seed 1.5 x',
      "option '--seed <number>' argument '1.5' is invalid: it must be a whole number.",
    ],
    [
      '--reasoning hard x',
      "option '--reasoning <effort>' argument 'hard' is invalid: allowed choices are",
    ],
    ['--allow-tools x', 'error: --allow-tools needs --tools or --mcp\n'],
    [
      '--image notes.txt x',
      'notes.txt: not an image that vendors take; give a file that ends with .png .jpg',
    ],
    ['--image none.png x', 'none.png: there is no such file'],
    ['--continue x', 'error: there is no saved chat to continue\n'],
    [
      '--mcp no-such-command x',
      'error: --mcp: there is no command "no-such-command"; install it, give its path',
    ],
  ]
  test.each(wrong)('%s says what is wrong before anything is sent', async (args, message) => {
    const { code, out, err } = await complete(args.split(' '))
    expect({ code: code === 1 || code === 2, out }).toEqual({ code: true, out: '' })
    expect(err).toContain(message)
    expect(server.requests).toHaveLength(0)
  })

  test('the help ends with an address that everyone can open', async () => {
    const { out } = await command(['--help'], { home: home.path, stdin: '' })
    expect(out).toMatch(
      /\nExit codes and everything else: https:\/\/github\.com\/\S+\/blob\/main\/docs\/cli\.md\n$/,
    )
  })

  test('the command complete sends images of files and addresses, before the prompt', async () => {
    const file = join(home.path, 'pixel.PNG')
    writeFileSync(file, pixel)
    await complete([
      '--image',
      file,
      '-i',
      'https://pictures.example/a.png',
      'plain:',
      'what is this?',
    ])
    expect(sent()).toMatchObject({
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'image_url',
              image_url: { url: `data:image/png;base64,${pixel.toString('base64')}` },
            },
            { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
            { type: 'text', text: 'plain: what is this?' },
          ],
        },
      ],
    })
  })

  test('the command complete refuses tools in a pipe and says how to allow them; --allow-tools runs them', async () => {
    const tools = ['--tools', writeTools(home.path)]
    const refused = await complete([...tools, 'Is it plain?'])
    expect(refused).toMatchObject({ code: 0, out: 'Plain text\n' })
    expect(refused.err).toContain(
      'tools are refused without a terminal; pass --allow-tools to run them\n',
    )
    expect(JSON.stringify(sent())).toContain('the user did not allow this call')
    const allowed = await complete([...tools, '--allow-tools', '--json', 'Is it plain?'])
    expect(JSON.parse(allowed.out)).toMatchObject({
      text: 'Plain text',
      finishReason: 'stop',
      cost: { currency: 'USD' },
    })
    expect(JSON.stringify(sent())).toContain('28')
  })

  test('a pipe gets the texts of two turns on lines of their own', async () => {
    const args = ['--tools', writeTools(home.path), '--allow-tools', 'Is it plain? Look first.']
    expect(await complete(args)).toMatchObject({ code: 0, out: 'Let me look.\nPlain text\n' })
  })

  test('the command complete refuses input that is not text, and sends nothing', async () => {
    const before = server.requests.length
    expect(await complete(['Say it'], { stdin: Buffer.from('caf\u00e9', 'latin1') })).toMatchObject(
      {
        code: 2,
        err: expect.stringContaining('the input is not UTF-8 text; convert it first'),
      },
    )
    expect(await complete(['Say it'], { stdin: 'a\0b' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('the input has a NUL character'),
    })
    expect(server.requests).toHaveLength(before)
  })

  test('--save keeps the chat, and --continue adds to it, as chat does', async () => {
    const first = await complete(['--save', '-s', 'Brief', 'plain one'])
    const [, id = ''] = /^saved as (\S+); continue it with --continue, or/.exec(first.err) ?? []
    expect(id).not.toBe('')
    expect((await complete(['--continue', 'plain two'])).err).toBe(
      `continues ${id}, 2 messages so far\n`,
    )
    expect(sent()).toMatchObject({
      messages: [
        { role: 'system', content: 'Brief' },
        { role: 'user', content: 'plain one' },
        { role: 'assistant', content: 'Plain text' },
        { role: 'user', content: 'plain two' },
      ],
    })
    expect(readdirSync(join(home.path, '.local/state/modelport/sessions'))).toEqual([
      `${id}.2.json`,
    ])
    const listed = await command(['sessions'], { home: home.path, stdin: '' })
    expect(listed.out).toMatch(/ {2}4 messages {2}\S+ {2}plain one\n$/)
    const chat = await command(['chat', '--resume'], {
      home: home.path,
      stdin: 'plain three\n',
      environment: { MY_KEY: key },
    })
    expect(chat.code).toBe(0)
    expect(sent()['messages']).toHaveLength(6)
  })

  test('the command complete renders Markdown in a terminal only, and not with --raw or NO_COLOR', async () => {
    const rendered = (await complete(['x'], { terminal: true })).out
    expect(rendered).toContain(
      'It is \u001b[1mwarm\u001b[22m in \u001b[36mRome\u001b[39m.\n\n• one\n',
    )
    const raw =
      '## Answer\n\nIt is **warm** in `Rome`.\n\n- one\n- two\n\n[here](https://true.example/x)\n'
    expect((await complete(['x', '--raw'], { terminal: true })).out).toBe(raw)
    expect(
      (await complete(['x'], { terminal: true, environment: { MY_KEY: key, NO_COLOR: '1' } })).out,
    ).toBe(raw)
    expect((await complete(['x'])).out).toBe(raw)
  })

  test('the command complete warns of an empty reply, which looks like a failure otherwise', async () => {
    await server.restart({
      reply: () => ({ text: [], finish: 'stop', usage: { inputTokens: 1, outputTokens: 0 } }),
    })
    configure(home.path, server.url)
    expect(await complete(['x'])).toEqual({
      code: 0,
      out: '',
      err: 'warning: the reply is empty\n',
    })
  })
})
