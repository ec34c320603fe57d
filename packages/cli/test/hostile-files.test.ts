import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { readAll } from '../src/commands/read-prompt.js'
import { readTextFile } from '../src/files/text-file.js'
import { withoutSecrets } from '../src/secrets/without-secrets.js'
import { toSealed } from '../src/session/seal.js'
import { SessionStore } from '../src/session/session-store.js'
import { useModel } from './set-up.js'
import { command, type Outcome } from './test-io.js'
import { configOf, key } from './wire.js'

const { home } = useModel({ fields: '' })
const cli = (args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> =>
  command(args, { home: home.path, stdin: '', environment })

describe('saved chats', () => {
  const folder = (): string => join(home.path, '.local/state/modelport/sessions')

  test('one damaged chat does not hide the others', async () => {
    expect(
      (
        await command(['chat'], {
          home: home.path,
          stdin: 'plain one\n',
          environment: { MY_KEY: key },
        })
      ).code,
    ).toBe(0)
    writeFileSync(
      join(folder(), '20260101-000000-aaaaaaaa.1.json'),
      toSealed('{"model": [redacted]\n}'),
    )
    const { code, out, err } = await cli(['sessions', '--json'])
    expect(code).toBe(0)
    expect((JSON.parse(out) as { sessions: unknown[] }).sessions).toHaveLength(1)
    expect(err).toContain('its JSON is damaged')
  })

  test('a chat stays readable whatever its secrets are, and holds none of them in its texts', async () => {
    const words = [
      'messages',
      'assistant',
      'arguments',
      'argumentsText',
      'toolCalls',
      'updatedAt',
      '12345678',
      '20260101',
      'content":',
    ]
    const secret = fc.oneof(fc.constantFrom(...words), fc.string({ minLength: 8, maxLength: 20 }))
    const store = new SessionStore(join(home.path, 'property'))
    await fc.assert(
      fc.asyncProperty(fc.array(secret, { minLength: 1, maxLength: 3 }), async (secrets) => {
        const id = SessionStore.newId(new Date())
        const said = `I said ${secrets.join(' and ')}.`
        await store.save(
          {
            id,
            model: 'm',
            createdAt: '2026-01-01T00:00:00.000Z',
            updatedAt: '2026-01-01T00:00:00.000Z',
            messages: [
              { role: 'user', content: said },
              {
                role: 'assistant',
                content: [{ type: 'text', text: said }],
                toolCalls: [
                  {
                    id: 'c',
                    name: 'n',
                    arguments: { said, count: 12345678 },
                    argumentsText: JSON.stringify({ said }),
                  },
                ],
              },
              { role: 'tool', toolCallId: 'c', content: said },
            ],
          },
          secrets,
        )
        const { messages } = await store.load(id)
        expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
        for (const one of secrets) expect(messages[0]?.content).not.toContain(one)
        const [call] = messages[1]?.role === 'assistant' ? (messages[1].toolCalls ?? []) : []
        expect(() => JSON.parse(call?.argumentsText ?? '') as unknown).not.toThrow()
      }),
      { numRuns: 60 },
    )
  })

  test('a secret in the name of an argument is taken out', () => {
    const cleaned = withoutSecrets({ arguments: { 'sk-canary-0123': 1 } }, ['sk-canary-0123'])
    expect(JSON.stringify(cleaned)).not.toContain('canary')
  })
})

describe('limits of what is read', () => {
  test('a device that never ends is not read as a file', async () => {
    await expect(readTextFile('/dev/zero', 1000)).rejects.toMatchObject({ code: 'config' })
    writeFileSync(join(home.path, 'keys'), 'x'.repeat(1000))
    expect(await readTextFile(join(home.path, 'keys'), 1000)).toHaveLength(1000)
  })

  test('the input has a limit', async () => {
    const chunk = Buffer.alloc(16 * 1024 * 1024)
    const input = Readable.from([chunk, chunk, chunk, chunk, Buffer.from('x')])
    await expect(readAll(input, new AbortController().signal)).rejects.toThrow('pipe in less')
    expect(input.destroyed).toBe(true)
  })

  test('a configuration with many anchors is refused', async () => {
    mkdirSync(join(home.path, '.config/modelport'), { recursive: true })
    const anchors = Array.from(
      { length: 20_000 },
      (_, index) => `  - &a${index} {k: *a${index}}`,
    ).join('\n')
    writeFileSync(configOf(home.path), `x:\n${anchors.slice(0, 200_000)}\n`)
    const { code, err } = await cli(['models'])
    expect(code).toBe(3)
    expect(err).toContain('more than 100 anchors')
  })

  test('cards with many fields or anchors are refused before they are parsed', async () => {
    const file = join(home.path, 'cards.yaml')
    const numbers = Array.from({ length: 12_000 }, (_, index) => index)
    for (const line of [
      (at: number) => `k${at}: x`,
      (at: number) => `- &a${at} x`,
      (at: number) => `? k${at}`,
    ]) {
      writeFileSync(file, numbers.map(line).join('\n'))
      const { code, err } = await cli(['agent', 'serve', file])
      expect([code, err]).toEqual([
        3,
        expect.stringMatching(/more than (10000 fields|100 anchors and aliases)/),
      ])
    }
  })
})
