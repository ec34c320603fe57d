// Our own providers, at each wire.
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { drive } from './drive.mjs'

const creators = {
  chat: (to) => createOpenAICompatible({ ...to, baseUrl: `${to.baseUrl}/v1` }),
  responses: (to) => createOpenAI({ ...to, baseUrl: `${to.baseUrl}/v1`, api: 'responses' }),
  messages: createAnthropic,
  gemini: createGoogle,
  ollama: createOllama,
}

/** Runs the suite at each wire. */
export const run = (suite) =>
  Promise.all(
    Object.entries(creators).map(([wire, create]) =>
      drive(suite, { client: 'modelport', version: 'main', wire }, async (one, turns) => {
        const provider = create({
          baseUrl: one.baseUrl,
          apiKey: one.key,
          model: one.model,
          defaults: { retry: { attempts: one.retries + 1 } },
        })
        if (one.stream) await streamed(provider, one, turns)
        else await whole(provider, one, turns)
      }),
    ),
  )

async function streamed(provider, one, turns) {
  let turn = emptyTurn(turns)
  const reader = await provider.streamWithTools(one.messages, one.tools)
  for await (const event of reader) {
    if (event.type === 'text-delta') turn.text += event.text
    else if (event.type === 'reasoning-delta') turn.reasoning += event.text
    else if (event.type === 'tool-call-complete') turn.calls.push(toCall(event.toolCall))
    else if (event.type === 'turn-end') {
      turn.finish = event.reason
      turn.usage = { input: event.usage.inputTokens, output: event.usage.outputTokens }
      const results = one.toolResults[turns.length - 1]
      if (!results) return
      const calls = turn.calls
      turn = emptyTurn(turns)
      await reader.sendToolResults(
        results.map((content, at) => ({ callId: calls[at]?.id ?? '', content })),
      )
    }
  }
}

async function whole(provider, one, turns) {
  const messages = [...one.messages]
  for (let i = 0; ; i++) {
    const turn = emptyTurn(turns)
    const reply = await provider.generate(messages, { tools: one.tools })
    Object.assign(turn, {
      text: reply.text,
      reasoning: reply.reasoning,
      calls: reply.toolCalls.map(toCall),
      finish: reply.finishReason,
      usage: { input: reply.usage.inputTokens, output: reply.usage.outputTokens },
    })
    const results = one.toolResults[i]
    if (!results) return
    messages.push(reply.message)
    for (const [at, content] of results.entries())
      messages.push({ role: 'tool', toolCallId: turn.calls[at]?.id ?? '', content })
  }
}

function emptyTurn(turns) {
  const turn = { text: '', reasoning: '', calls: [] }
  turns.push(turn)
  return turn
}

const toCall = ({ id, name, arguments: values, argumentsText, error }) => ({
  id,
  name,
  arguments: error ? argumentsText : values,
  error,
})
