// A program of the AI SDK on providers of modelport, and back: the only files that a program of yours needs are the others of this folder.
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { generateText, stepCountIs, streamText } from 'ai'
import { fromLanguageModel, toAiTools, toLanguageModel } from './index.ts'

const weather = defineTool({ name: 'weather', description: 'The weather, now', execute: () => '28 °C' })
const provider = createMock({ responses: [{ toolCalls: [{ name: 'weather' }] }, 'It is 28 °C.', 'Warm.', 'Hello'] })
const model = toLanguageModel(provider)

const { text, steps } = await generateText({
  model,
  prompt: 'How warm is it?',
  tools: toAiTools([weather]),
  stopWhen: stepCountIs(5),
})
console.log(`generateText, ${steps.length} steps: ${text}`)

console.log(`streamText: ${await streamText({ model, prompt: 'Is it warm?' }).text}`)

const back = fromLanguageModel(model)
console.log(`back: ${await back.complete('Hi')}, hosts: ${JSON.stringify(back.apiHosts)}`)
