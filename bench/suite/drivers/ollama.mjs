// The official client of Ollama. It has no helper that adds the parts of a stream up, so the driver
// does what its documentation shows.
import { Ollama } from 'ollama'
import { drive } from './drive.mjs'
import { versionOf } from './version.mjs'

const client = { client: 'ollama', version: versionOf('ollama'), wire: 'ollama' }
const lacks = { retry: 'it never tries again' }

/** Runs the suite. */
export const run = (suite) =>
  drive(suite, { ...client, lacks }, async (one, turns) => {
    const ollama = new Ollama({ host: one.baseUrl })
    const tools = one.tools.map((tool) => ({ type: 'function', function: tool }))
    const messages = [...one.messages]
    for (let i = 0; ; i++) {
      const turn = { text: '', reasoning: '', calls: [] }
      turns.push(turn)
      const ask = { model: one.model, messages, stream: one.stream, ...(tools.length && { tools }) }
      const reply = await ollama.chat(ask)
      const sent = []
      for await (const part of one.stream ? reply : [reply]) {
        const { content = '', thinking = '', tool_calls: calls = [] } = part.message ?? {}
        turn.text += content
        turn.reasoning += thinking
        for (const call of calls) {
          sent.push(call)
          const { name, arguments: values } = call.function
          turn.calls.push({ id: call.id, name, arguments: values })
        }
        if (!part.done) continue
        turn.finish = part.done_reason
        turn.usage = { input: part.prompt_eval_count, output: part.eval_count }
      }
      const results = one.toolResults[i]
      if (!results) return
      messages.push({
        role: 'assistant',
        content: turn.text,
        thinking: turn.reasoning,
        tool_calls: sent,
      })
      for (const [at, content] of results.entries()) {
        const { id, function: called } = sent[at] ?? {}
        messages.push({
          role: 'tool',
          content,
          tool_name: called?.name,
          ...(id && { tool_call_id: id }),
        })
      }
    }
  })
