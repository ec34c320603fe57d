// The AI SDK with the packages of four vendors, one step a turn.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, streamText, tool } from 'ai'
import { drive } from './drive.mjs'
import { versionOf } from './version.mjs'

/** Package and model of each wire. */
const models = {
  chat: ['@ai-sdk/openai', (to, path) => createOpenAI({ ...to, baseURL: `${path}/v1` }).chat],
  responses: [
    '@ai-sdk/openai',
    (to, path) => createOpenAI({ ...to, baseURL: `${path}/v1` }).responses,
  ],
  messages: ['@ai-sdk/anthropic', (to, path) => createAnthropic({ ...to, baseURL: `${path}/v1` })],
  gemini: ['@ai-sdk/google', (to, path) => createGoogle({ ...to, baseURL: `${path}/v1beta` })],
}
const lacks = {
  chat: { reasoning: 'the API of OpenAI itself shows no reasoning in Chat Completions' },
}

/** Runs the suite at each wire. */
export async function run(suite) {
  for (const [wire, [name, create]] of Object.entries(models)) {
    const version = `${versionOf(name)} with ai ${versionOf('ai')}`
    const client = { client: name, version, wire, lacks: lacks[wire] }
    await drive(suite, client, (one, turns) =>
      converse(create({ apiKey: one.key }, one.baseUrl)(one.model), one, turns),
    )
  }
}

async function converse(model, one, turns) {
  const tools = Object.fromEntries(
    one.tools.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  )
  const messages = [...one.messages]
  for (let i = 0; ; i++) {
    const turn = { text: '', reasoning: '', calls: [] }
    turns.push(turn)
    const providerOptions = one.wire === 'responses' ? { openai: { store: false } } : {}
    const ask = { model, messages, tools, providerOptions, maxRetries: one.retries }
    const reply = one.stream ? await streamed(ask, turn) : await generateText(ask)
    const calls = await reply.toolCalls
    turn.text = await reply.text
    turn.reasoning = (await reply.reasoningText) ?? ''
    turn.calls = calls.map(({ toolCallId: id, toolName: name, input, invalid, error }) => ({
      id,
      name,
      arguments: input,
      error: invalid ? String(error) : undefined,
    }))
    turn.finish = await reply.finishReason
    const { inputTokens: input, outputTokens: output } = await reply.usage
    turn.usage = { input, output }
    const results = one.toolResults[i]
    if (!results) return
    const content = results.map((value, at) => ({
      type: 'tool-result',
      toolCallId: calls[at]?.toolCallId,
      toolName: calls[at]?.toolName,
      output: { type: 'text', value },
    }))
    messages.push(...(await reply.response).messages, { role: 'tool', content })
  }
}

async function streamed(ask, turn) {
  const reply = streamText({ ...ask, onError: () => undefined })
  for await (const part of reply.fullStream) {
    if (part.type === 'text-delta') turn.text += part.text
    if (part.type === 'error') throw part.error
  }
  return reply
}
