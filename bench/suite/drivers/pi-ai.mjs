// pi-ai, which always asks for a stream.
import { normalizeContext } from '@earendil-works/pi-ai'
import { stream as messages } from '@earendil-works/pi-ai/api/anthropic-messages'
import { stream as gemini } from '@earendil-works/pi-ai/api/google-generative-ai'
import { stream as chat } from '@earendil-works/pi-ai/api/openai-completions'
import { stream as responses } from '@earendil-works/pi-ai/api/openai-responses'
import { drive } from './drive.mjs'
import { versionOf } from './version.mjs'

/** API, function and end of the base URL of each wire. */
const apis = {
  chat: ['openai-completions', chat, '/v1'],
  responses: ['openai-responses', responses, '/v1'],
  messages: ['anthropic-messages', messages, ''],
  gemini: ['google-generative-ai', gemini, '/v1beta'],
}
const cannotAsk = ({ stream }) => (stream ? undefined : 'it always asks for a stream')

/** Runs the suite at each wire. */
export async function run(suite) {
  for (const [wire, [api, stream, path]] of Object.entries(apis)) {
    const version = versionOf('@earendil-works/pi-ai')
    const client = { client: '@earendil-works/pi-ai', version, wire, cannotAsk }
    await drive(suite, client, (one, turns) => {
      const model = {
        id: one.model,
        name: one.model,
        api,
        provider: 'suite',
        baseUrl: one.baseUrl + path,
        reasoning: false,
        input: ['text'],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 128_000,
        maxTokens: one.maxTokens,
      }
      const ask = (context) =>
        stream(model, normalizeContext(context), { apiKey: one.key, maxRetries: one.retries })
      return converse(ask, one, turns)
    })
  }
}

async function converse(ask, one, turns) {
  const messages = one.messages.map((message) => ({ ...message, timestamp: Date.now() }))
  for (let i = 0; ; i++) {
    const turn = { text: '', reasoning: '' }
    turns.push(turn)
    const events = ask({ messages, ...(one.tools.length && { tools: one.tools }) })
    for await (const event of events) {
      if (event.type === 'text_delta') turn.text += event.delta
      if (event.type === 'thinking_delta') turn.reasoning += event.delta
    }
    const reply = await events.result()
    if (reply.stopReason === 'error') throw new Error(reply.errorMessage)
    const calls = reply.content.filter(({ type }) => type === 'toolCall')
    turn.calls = calls.map(({ id, name, arguments: values }) => ({ id, name, arguments: values }))
    turn.finish = reply.stopReason
    const { input, output, cacheRead, cacheWrite } = reply.usage
    turn.usage = { input: input + cacheRead + cacheWrite, output }
    const results = one.toolResults[i]
    if (!results) return
    messages.push(reply)
    for (const [at, text] of results.entries())
      messages.push({
        role: 'toolResult',
        toolCallId: calls[at]?.id,
        toolName: calls[at]?.name,
        content: [{ type: 'text', text }],
        isError: false,
        timestamp: Date.now(),
      })
  }
}
