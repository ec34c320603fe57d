// Images, speech and transcription from the command line, against a server on the loopback address.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { command, type Outcome, type World } from './test-io.js'
import { configOf, configure, key } from './wire.js'

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const wav = Buffer.from([82, 73, 70, 70, 255, 254, 0])
const transcript = {
  text: 'Hello there.',
  language: 'en',
  duration: 62.5,
  segments: [
    { start: 0, end: 1.5, text: ' Hello' },
    { start: 61, end: 62.5, text: ' there.' },
  ],
}

let server: Server
let home: string
let bodies: string[]
const cli = (args: readonly string[], world: Partial<World> = {}): Promise<Outcome> =>
  command(args, { home, stdin: '', environment: { MY_KEY: key }, ...world })
const at = (name: string) => join(home, name)

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(`${request.url} ${Buffer.concat(chunks).toString('latin1')}`)
      const path = request.url ?? ''
      if (path.endsWith('/speech')) response.setHeader('content-type', 'audio/wav').end(wav)
      else {
        const image = { b64_json: png.toString('base64'), revised_prompt: 'a cat' }
        const count = Number((/"n":(\d+)/.exec(bodies.at(-1) ?? '') ?? [])[1] ?? 1)
        const images = {
          data: Array.from({ length: count }, () => image),
          usage: { input_tokens: 5, output_tokens: 7 },
        }
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify(path.includes('/images/') ? images : transcript))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(() => {
  bodies = []
  home = temporaryFolder('media')
  configure(home, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const config = readFileSync(configOf(home), 'utf8')
  const roles = 'roles: {chat: main, image: main, speech: main, transcription: main}'
  writeFileSync(configOf(home), config.replace(/roles: .*/, roles))
})

describe('image', () => {
  test('the command image writes the image to a file whose ending follows its format, and prints the path', async () => {
    const { code, out, err } = await cli(['image', 'a', 'cat', '--out', at('cat')])
    expect([code, out, err]).toEqual([0, `${at('cat.png')}\n`, '5 in · 7 out\n'])
    expect(readFileSync(at('cat.png'))).toEqual(png)
    expect(bodies).toEqual(['/v1/images/generations {"model":"my-model","prompt":"a cat"}'])
  })

  test('the command image numbers several images, and prints data with --json', async () => {
    const { out } = await cli(['image', 'a cat', '-n', '2', '--json', '--out', at('cat.png')])
    const file = { mediaType: 'image/png', bytes: png.length, revisedPrompt: 'a cat' }
    expect(JSON.parse(out)).toMatchObject({
      files: [
        { path: at('cat-1.png'), ...file },
        { path: at('cat-2.png'), ...file },
      ],
      model: 'my-model',
      usage: { inputTokens: 5 },
    })
    expect(readFileSync(at('cat-2.png'))).toEqual(png)
  })

  test('the command image replaces no file unless it is forced to, and asks nobody before it knows', async () => {
    writeFileSync(at('cat.png'), 'mine')
    const { code, err } = await cli(['image', 'a cat', '--out', at('cat.png')])
    expect([code, bodies, readFileSync(at('cat.png'), 'utf8')]).toEqual([2, [], 'mine'])
    expect(err).toContain('exists; choose another --out, or pass --force')
    expect((await cli(['image', 'a cat', '--force', '--out', at('cat.png')])).code).toBe(0)
    expect(readFileSync(at('cat.png'))).toEqual(png)
  })

  test('the command image sends images to start from', async () => {
    writeFileSync(at('in.png'), png)
    expect((await cli(['image', 'a blue cat', '--out', at('out.png'), '-i', at('in.png')])).code).toBe(0)
    expect(bodies[0]).toContain('/v1/images/edits')
    expect(bodies[0]).toContain(png.toString('latin1'))
  })

  test('the command image says how to give the role to a model', async () => {
    configure(home, 'http://127.0.0.1:9')
    const { code, err } = await cli(['image', 'a cat', '--out', at('cat')])
    expect([code, err]).toEqual([2, expect.stringContaining('no model has the role "image"') as string])
  })

  test('the command image refuses a vendor that makes no images', async () => {
    const { code, err } = await cli(['image', 'a cat', '--model', 'anthropic:claude-x', '--out', at('cat')], {
      environment: { ANTHROPIC_API_KEY: key },
    })
    expect(err).toContain('anthropic: modelport has no images for it')
    expect([code === 0, existsSync(at('cat.png'))]).toEqual([false, false])
  })
})

describe('speak', () => {
  test('the command speak writes the sound, with the ending of its type, from piped text', async () => {
    const { code, out } = await cli(['speak', '--voice', 'troy', '--out', at('said')], { stdin: 'Hello\n' })
    expect([code, out]).toEqual([0, `${at('said.wav')}\n`])
    expect(readFileSync(at('said.wav'))).toEqual(wav)
    expect(bodies).toEqual(['/v1/audio/speech {"model":"my-model","input":"Hello","voice":"troy"}'])
  })

  test('the command transcribe prints data with --json', async () => {
    const { out } = await cli(['speak', 'Hi', '--voice', 'troy', '--json', '--out', at('said.wav')])
    expect(JSON.parse(out)).toMatchObject({ path: at('said.wav'), mediaType: 'audio/wav', bytes: wav.length })
  })
})

describe('transcribe', () => {
  test('the command transcribe prints the text, or when each part was said', async () => {
    writeFileSync(at('talk.wav'), wav)
    expect(await cli(['transcribe', at('talk.wav')])).toEqual({ code: 0, out: 'Hello there.\n', err: '' })
    const { out } = await cli(['transcribe', at('talk.wav'), '--timestamps', 'segment'])
    expect(out).toBe('00:00.00 - 00:01.50  Hello\n01:01.00 - 01:02.50  there.\n')
    expect(bodies[1]).toContain('name="timestamp_granularities[]"\r\n\r\nsegment')
  })

  test('the command transcribe prints data with --json', async () => {
    writeFileSync(at('talk.wav'), wav)
    const { out } = await cli(['transcribe', at('talk.wav'), '--json'])
    expect(JSON.parse(out)).toMatchObject({ text: 'Hello there.', language: 'en', durationSeconds: 62.5 })
  })

  test('the command transcribe refuses a file of no known kind, and one that is missing', async () => {
    writeFileSync(at('talk.txt'), 'x')
    expect((await cli(['transcribe', at('talk.txt')])).err).toContain('not a recording that vendors take')
    expect((await cli(['transcribe', at('none.wav')])).err).toContain(at('none.wav'))
    expect(bodies).toEqual([])
  })
})
