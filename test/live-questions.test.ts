import { openaiChat } from '@modelport/conformance'
import { startWireServer, type WireReply } from '@modelport/conformance/wire-server'
import { expect, test } from 'vitest'
import { askAll, questions } from './live/questions.js'

const usage = { inputTokens: 5, outputTokens: 5 }
/** Plays a vendor whose model can do everything. */
const reply: WireReply = (request, { format }) => {
  const { messages, tools } = format.read(request)
  const body = JSON.stringify(request.body)
  if (tools.length && messages.at(-1)?.role === 'user')
    return {
      toolCalls: [{ id: 'c1', name: 'add_numbers', arguments: { a: 2, b: 3 } }],
      finish: 'tool-calls',
      usage,
    }
  const text = body.includes('json_schema')
    ? '{"ok": true}'
    : body.includes('image_url')
      ? 'Red'
      : '5, 51, OK'
  return { text: text.split(/(?=,)/), finish: 'stop', usage }
}

test('the live questions pass against a server that can do everything, and say what fails otherwise', async () => {
  const server = await startWireServer({
    formats: [openaiChat],
    reply,
    apiKey: 'sk-live-0123456789',
  })
  try {
    const config = {
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: `${server.url}/v1`,
      apiKey: 'sk-live-0123456789',
    }
    const answers = await askAll(config)
    expect(answers.map(({ question }) => question)).toEqual(Object.keys(questions))
    const failed = answers.filter(({ status }) => status !== 'ok').map(({ question }) => question)
    // This server knows every model.
    expect(failed, JSON.stringify(answers)).toEqual(['unknown model'])
    expect(answers.find(({ question }) => question === 'bad key')).toMatchObject({ detail: 'auth' })
  } finally {
    await server.close()
  }
})
