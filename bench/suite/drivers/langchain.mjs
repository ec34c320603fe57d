// LangChain with the packages of four vendors.
import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'
import { drive } from './drive.mjs'
import { versionOf } from './version.mjs'

const openai = ({ to, baseUrl, ...more }) =>
  new ChatOpenAI({ ...to, ...more, configuration: { baseURL: `${baseUrl}/v1` } })
/** Package and model of each wire. */
const models = {
  chat: ['@langchain/openai', openai],
  responses: ['@langchain/openai', (ask) => openai({ ...ask, useResponsesApi: true })],
  messages: [
    '@langchain/anthropic',
    ({ to, baseUrl }) => new ChatAnthropic({ ...to, anthropicApiUrl: baseUrl }),
  ],
  gemini: [
    '@langchain/google-genai',
    ({ to, baseUrl }) => new ChatGoogleGenerativeAI({ ...to, baseUrl }),
  ],
  ollama: ['@langchain/ollama', ({ to, baseUrl }) => new ChatOllama({ ...to, baseUrl })],
}
const lacks = {
  chat: { reasoning: 'the API of OpenAI itself shows no reasoning in Chat Completions' },
}

/** Runs the suite at each wire. */
export async function run(suite) {
  for (const [wire, [name, create]] of Object.entries(models))
    await drive(
      suite,
      { client: name, version: versionOf(name), wire, lacks: lacks[wire] },
      (one, turns) => {
        const to = { model: one.model, apiKey: one.key, maxRetries: one.retries }
        const model = create({ to, baseUrl: one.baseUrl })
        return converse(one.tools.length ? model.bindTools(toTools(one.tools)) : model, one, turns)
      },
    )
}

const toTools = (tools) => tools.map((tool) => ({ type: 'function', function: tool }))

async function converse(model, one, turns) {
  const messages = one.messages.map(({ content }) => new HumanMessage(content))
  for (let i = 0; ; i++) {
    const turn = { text: '' }
    turns.push(turn)
    const reply = one.stream ? await streamed(model, messages, turn) : await model.invoke(messages)
    const meta = reply.response_metadata ?? {}
    const usage = reply.usage_metadata
    turn.text = reply.text
    turn.reasoning = reasoningOf(reply)
    turn.calls = [
      ...(reply.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, arguments: args })),
      ...(reply.invalid_tool_calls ?? []).map(({ id, name = '', args, error }) => ({
        id,
        name,
        arguments: args,
        error: error || 'invalid',
      })),
    ]
    turn.finish =
      meta.finish_reason ??
      meta.finishReason ??
      meta.stop_reason ??
      meta.done_reason ??
      reply.additional_kwargs?.stop_reason ??
      meta.incomplete_details?.reason ??
      meta.status
    turn.usage = { input: usage?.input_tokens, output: usage?.output_tokens }
    const results = one.toolResults[i]
    if (!results) return
    messages.push(reply)
    for (const [at, content] of results.entries()) {
      const { id = '', name } = turn.calls[at] ?? {}
      messages.push(new ToolMessage({ content, tool_call_id: id, name }))
    }
  }
}

async function streamed(model, messages, turn) {
  let reply
  for await (const chunk of await model.stream(messages)) {
    turn.text += chunk.text
    reply = reply ? reply.concat(chunk) : chunk
  }
  return reply ?? new AIMessageChunk('')
}

/** In the common form, or else in that of the vendor. */
const reasoningOf = ({ contentBlocks = [], content }) =>
  contentBlocks.map(({ reasoning = '' }) => reasoning).join('') ||
  (Array.isArray(content) ? content.map(({ thinking = '' }) => thinking).join('') : '')
