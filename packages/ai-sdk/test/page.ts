import { toLanguageModel } from '@modelport/ai-sdk'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { APICallError, generateText, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `28 degrees in ${city}`,
})

/** What the AI SDK makes of a model of ours in a page. */
async function run(): Promise<object> {
  const provider = createOpenAICompatible({ baseUrl: `${location.origin}/v1`, model: 'm' })
  const request = {
    model: toLanguageModel(provider),
    prompt: 'Rome?',
    tools: { weather },
    stopWhen: stepCountIs(3),
  }
  const whole = await generateText(request)
  const streamed = streamText(request)
  let pieces = ''
  for await (const text of streamed.textStream) pieces += text
  const missing = createOpenAICompatible({ baseUrl: `${location.origin}/nothing`, model: 'm' })
  const error: unknown = await generateText({
    ...request,
    model: toLanguageModel(missing),
    maxRetries: 0,
  }).catch((caught: unknown) => caught)
  return {
    texts: [whole.text, pieces],
    steps: whole.steps.length,
    usage: (await streamed.usage).totalTokens,
    error: APICallError.isInstance(error) && error.statusCode,
  }
}

Object.assign(globalThis, { run })
