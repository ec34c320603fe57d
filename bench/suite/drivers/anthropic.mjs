// The official SDK of Anthropic, with its helper for streams.
import Anthropic from '@anthropic-ai/sdk'
import { VERSION } from '@anthropic-ai/sdk/version'
import { drive } from './drive.mjs'

/** Runs the suite. */
export const run = (suite) =>
  drive(
    suite,
    { client: '@anthropic-ai/sdk', version: VERSION, wire: 'messages' },
    async (one, turns) => {
      const client = new Anthropic({
        baseURL: one.baseUrl,
        apiKey: one.key,
        maxRetries: one.retries,
      })
      const tools = one.tools.map(({ parameters, ...tool }) => ({
        ...tool,
        input_schema: parameters,
      }))
      const messages = [...one.messages]
      for (let i = 0; ; i++) {
        const turn = { text: '' }
        turns.push(turn)
        const body = {
          model: one.model,
          max_tokens: one.maxTokens,
          messages,
          ...(tools.length && { tools }),
        }
        const reply = one.stream
          ? await streamed(client, body, turn)
          : await client.messages.create(body)
        const blocks = reply.content ?? []
        const calls = blocks.filter(({ type }) => type === 'tool_use')
        const all = (kind, field) =>
          blocks.flatMap((block) => (block.type === kind ? [block[field]] : [])).join('')
        turn.text = all('text', 'text')
        turn.reasoning = all('thinking', 'thinking')
        turn.calls = calls.map(({ id, name, input }) => ({ id, name, arguments: input }))
        turn.finish = reply.stop_reason
        turn.usage = { input: reply.usage?.input_tokens, output: reply.usage?.output_tokens }
        const results = one.toolResults[i]
        if (!results) return
        const content = results.map((text, at) => ({
          type: 'tool_result',
          tool_use_id: calls[at]?.id,
          content: text,
        }))
        messages.push({ role: 'assistant', content: reply.content }, { role: 'user', content })
      }
    },
  )

function streamed(client, body, turn) {
  const stream = client.messages.stream(body)
  stream.on('text', (text) => {
    turn.text += text
  })
  return stream.finalMessage()
}
