// A model of the AI SDK as a provider, for a vendor that only the AI SDK has.
import { fromLanguageModel, toLanguageModel } from '@modelport/ai-sdk'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'

const replies = createMock({ responses: [{ toolCalls: [{ name: 'weather' }] }, 'It is 28 °C.'] })
// in your program: cohere('command-a'), or any other model of the AI SDK
const model = toLanguageModel(replies)

const weather = defineTool({
  name: 'weather',
  description: 'The weather, now',
  execute: () => '28 °C',
})
const provider = fromLanguageModel(model)
const { status, text, usage } = await infer(provider, {
  query: 'How warm is it?',
  tools: [weather],
})
console.log(`${status}, ${usage.turns.length} turns: ${text}`)
console.log(`hosts: ${provider.apiHosts}`)
