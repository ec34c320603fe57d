// The official SDK of OpenAI, Chat Completions, with its helper for streams.
import OpenAI from 'openai'
import { VERSION } from 'openai/version'
import { drive } from './drive.mjs'

const lacks = {
  reasoning: 'the API of OpenAI itself shows no reasoning in Chat Completions',
}

/** Runs the suite. */
export const run = (suite) =>
  drive(suite, { client: 'openai', version: VERSION, wire: 'chat', lacks }, async (one, turns) => {
    const client = new OpenAI({
      baseURL: `${one.baseUrl}/v1`,
      apiKey: one.key,
      maxRetries: one.retries,
    })
    const tools = one.tools.map((tool) => ({ type: 'function', function: tool }))
    const messages = [...one.messages]
    for (let i = 0; ; i++) {
      const turn = { text: '' }
      turns.push(turn)
      const body = { model: one.model, messages, ...(tools.length && { tools }) }
      const reply = one.stream
        ? await streamed(client, body, turn)
        : await client.chat.completions.create(body)
      const { message, finish_reason: finish } = reply.choices?.[0] ?? {}
      turn.text = message?.content
      turn.calls = message?.tool_calls?.map(({ id, function: { name, arguments: values } }) => ({
        id,
        name,
        arguments: values,
      }))
      turn.finish = finish
      turn.usage = { input: reply.usage?.prompt_tokens, output: reply.usage?.completion_tokens }
      const results = one.toolResults[i]
      if (!results) return
      messages.push(message)
      for (const [at, content] of results.entries())
        messages.push({ role: 'tool', tool_call_id: message.tool_calls?.[at]?.id, content })
    }
  })

function streamed(client, body, turn) {
  const stream = client.chat.completions.stream({
    ...body,
    stream_options: { include_usage: true },
  })
  stream.on('content', (text) => {
    turn.text += text
  })
  return stream.finalChatCompletion()
}
