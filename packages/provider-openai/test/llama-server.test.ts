import { afterAll, describe, expect, test } from 'vitest'
import {
  askTwoCities,
  emojiAnswer,
  startLlamaServer,
  streamEmoji,
} from '../../../test/support/llama-server.js'
import { createOpenAI } from '../src/index.js'

const server = startLlamaServer(['--jinja'])
afterAll(() => server?.stop())

describe.skipIf(!server).each(['responses', 'chat'] as const)(
  'a real llama.cpp server, %s',
  (api) => {
    const provider = createOpenAI({
      baseUrl: `${server?.url ?? 'http://none.test'}/v1`,
      model: 'tinytool',
      api,
      enforceHosts: true,
      defaults: { temperature: 0 },
    })

    test('a real llama.cpp server completes and streams, with characters of several bytes', async () => {
      expect(await provider.complete('Send an emoji')).toBe(emojiAnswer)
      await streamEmoji(provider)
    })

    test('a real llama.cpp server makes two parallel calls, and replies from their results', async () => {
      const { reader, events } = await askTwoCities(provider, (calls) =>
        calls.map(({ id }, index) => ({
          callId: id,
          content: index ? '21 degrees and sunny' : '15 degrees and rain',
        })),
      )
      expect(events.flatMap((event) => (event.type === 'turn-end' ? [event.reason] : []))).toEqual([
        'tool-calls',
        'stop',
      ])
      expect(events.some(({ type }) => type === 'reasoning-delta')).toBe(true)
      expect(reader.fullText()).toMatch(/degrees/)
      const stored = JSON.parse(JSON.stringify(reader.messages())) as typeof reader extends {
        messages(): infer M
      }
        ? M
        : never
      expect(
        await provider.completeWithHistory([
          ...stored,
          { role: 'user', content: 'Tell me a story.' },
        ]),
      ).not.toBe('')
    })

    test('a prompt that is too long is a typed error', async () => {
      await expect(provider.complete('story '.repeat(20_000))).rejects.toMatchObject({
        code: 'context-length',
        status: 400,
      })
    })
  },
)
