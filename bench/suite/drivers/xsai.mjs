// xsAI. It executes tools itself and makes the next request, so the driver gives it tools that
// return the results of the case.
import { generateText } from '@xsai/generate-text'
import { streamText } from '@xsai/stream-text'
import { drive } from './drive.mjs'
import { versionOf } from './version.mjs'

const client = { client: 'xsai', version: versionOf('@xsai/stream-text'), wire: 'chat' }
const lacks = { retry: 'it never tries again' }

/** Runs the suite. */
export const run = (suite) =>
  drive(suite, { ...client, lacks }, async (one, turns) => {
    const results = one.toolResults.flat()
    const tools = one.tools.map((tool) => ({
      type: 'function',
      function: tool,
      execute: () => results.shift() ?? '',
    }))
    const ask = {
      apiKey: one.key,
      baseURL: `${one.baseUrl}/v1/`,
      model: one.model,
      messages: one.messages,
      maxSteps: one.toolResults.length + 1,
      ...(tools.length && { tools }),
    }
    if (one.stream) return await streamed(ask, turns)
    const { steps, messages } = await generateText(ask)
    const said = messages.filter(({ role }) => role === 'assistant')
    for (const [index, step] of steps.entries())
      turns.push({ ...turnOf(step), reasoning: said[index]?.reasoning_content ?? '' })
  })

const turnOf = ({ text, toolCalls, finishReason, usage }) => ({
  text: text ?? '',
  calls: (toolCalls ?? []).map(({ toolCallId: id, toolName: name, args }) => ({
    id,
    name,
    arguments: args,
  })),
  finish: finishReason,
  usage: usage && { input: usage.prompt_tokens, output: usage.completion_tokens },
})

async function streamed(ask, turns) {
  const { fullStream, steps, ...rest } = streamText({
    ...ask,
    streamOptions: { includeUsage: true },
  })
  for (const promise of [steps, rest.messages, rest.usage, rest.totalUsage])
    promise.catch(() => undefined)
  const turn = { text: '' }
  turns.push(turn)
  const thoughts = ['']
  for await (const event of fullStream) {
    if (event.type === 'error') throw event.error
    if (event.type === 'text-delta') turn.text += event.text
    if (event.type === 'reasoning-delta') thoughts.push(thoughts.pop() + event.text)
    if (event.type === 'finish') thoughts.push('')
  }
  for (const [index, step] of (await steps).entries())
    turns[index] = { ...turnOf(step), reasoning: thoughts[index] ?? '' }
}
