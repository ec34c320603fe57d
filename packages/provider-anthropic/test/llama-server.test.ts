import { afterAll, describe, expect, test } from 'vitest'
import {
  askTwoCities,
  emojiAnswer,
  startLlamaServer,
  streamEmoji,
  weather,
} from '../../../test/support/llama-server.js'
import { countTokens, createAnthropic, listModels } from '../src/index.js'

const apiKey = 'sk-llama-5d20b9e1'
const server = startLlamaServer(['--jinja', '--api-key', apiKey])
const config = {
  baseUrl: server?.url ?? 'http://none.test',
  model: 'tinytool',
  apiKey,
  enforceHosts: true,
  defaults: { temperature: 0 },
}
const provider = createAnthropic(config)

afterAll(() => server?.stop())

describe.skipIf(!server)('a real llama.cpp server on /v1/messages', () => {
  test('a real llama.cpp server on /v1/messages streams characters of several bytes', async () => {
    await streamEmoji(provider)
    expect(await provider.complete('Send an emoji')).toBe(emojiAnswer)
  })

  test('a real llama.cpp server on /v1/messages calls two tools in parallel, and replies to their results in the other order', async () => {
    const { reader, events } = await askTwoCities(provider, (calls) =>
      calls.toReversed().map(({ id }, index) => ({
        callId: id,
        content: index ? '15 degrees and rain' : '21 degrees and sunny',
      })),
    )
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'stop' })
    expect(reader.fullText()).toMatch(/degrees/)
    expect(reader.messages().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ])
    expect(reader.usage().turns).toHaveLength(2)
  })

  test('a real llama.cpp server on /v1/messages calls tools without a stream too, and replies to a tool that failed', async () => {
    const question = [{ role: 'user' as const, content: 'What is the weather in Paris?' }]
    const asked = await provider.generate(question, { tools: [weather] })
    expect(asked).toMatchObject({
      finishReason: 'tool-calls',
      toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }],
    })
    const [call] = asked.toolCalls
    const answer = await provider.generate(
      [
        ...question,
        asked.message,
        { role: 'tool', toolCallId: call!.id, content: 'no network', isError: true },
      ],
      { tools: [weather] },
    )
    expect(answer.text).not.toBe('')
  })

  test('a real llama.cpp server on /v1/messages reports a wrong key and a prompt that is too long, lists its models and counts tokens', async () => {
    const wrong = createAnthropic({ ...config, apiKey: 'sk-llama-wrong-key' })
    await expect(wrong.complete('Hi')).rejects.toMatchObject({ code: 'auth', status: 401 })
    await expect(provider.complete('word '.repeat(20_000))).rejects.toMatchObject({
      code: 'context-length',
      status: 400,
    })
    expect((await listModels(config)).map(({ id }) => id)).toContain('tinytool')
    const { tokens, source } = await countTokens(config, [{ role: 'user', content: 'Hi' }])
    expect(tokens).toBeGreaterThan(0)
    expect(source).toBe('provider')
  })
})
