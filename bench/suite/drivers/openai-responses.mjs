// The official SDK of OpenAI, Responses, with its helper for streams.
import OpenAI from 'openai'
import { VERSION } from 'openai/version'
import { drive } from './drive.mjs'

/** Runs the suite. */
export const run = (suite) =>
  drive(suite, { client: 'openai', version: VERSION, wire: 'responses' }, async (one, turns) => {
    const client = new OpenAI({
      baseURL: `${one.baseUrl}/v1`,
      apiKey: one.key,
      maxRetries: one.retries,
    })
    const tools = one.tools.map((tool) => ({ type: 'function', strict: false, ...tool }))
    const input = [...one.messages]
    for (let i = 0; ; i++) {
      const turn = { text: '' }
      turns.push(turn)
      const body = { model: one.model, input, ...(tools.length && { tools }) }
      const reply = one.stream
        ? await streamed(client, body, turn)
        : await client.responses.create(body)
      const calls = reply.output.filter(({ type }) => type === 'function_call')
      turn.text = reply.output_text
      turn.reasoning = reply.output
        .flatMap(({ type, summary }) => (type === 'reasoning' ? summary : []))
        .map(({ text }) => text)
        .join('')
      turn.calls = calls.map((call) => ({
        id: call.call_id,
        name: call.name,
        arguments: call.arguments,
      }))
      turn.finish = reply.incomplete_details?.reason ?? reply.status
      turn.usage = { input: reply.usage?.input_tokens, output: reply.usage?.output_tokens }
      const results = one.toolResults[i]
      if (!results) return
      input.push(...reply.output)
      for (const [at, output] of results.entries())
        input.push({ type: 'function_call_output', call_id: calls[at]?.call_id, output })
    }
  })

async function streamed(client, body, turn) {
  const stream = client.responses.stream(body)
  stream.on('response.output_text.delta', ({ delta }) => {
    turn.text += delta
  })
  return await stream.finalResponse()
}
