import {
  choice,
  createDialogCaller,
  Dialog,
  type DialogCaller,
  definePrompt,
} from '@modelport/dialog'
import { createOpenAICompatible, presets } from '@modelport/provider-openai-compatible'

/**
 * `node src/classify.ts http://127.0.0.1:8080/v1 [model]`: 200 questions about the weather or about
 * sums, made here and in the public domain, sorted by a small model on a llama.cpp server: by the
 * probabilities of one token, and by a reply that a parser reads.
 */
const [, , baseUrl = 'http://127.0.0.1:8080/v1', model = 'tinytool'] = process.argv
const labels = ['weather', 'sum'] as const
const openings = ['What is', 'Tell me', 'How is', 'Please check', 'I want to know']
const cities = [
  'Paris',
  'Rome',
  'Oslo',
  'Tokyo',
  'Berlin',
  'Milan',
  'Kyoto',
  'Sydney',
  'Madrid',
  'Vienna',
]
const questions = Array.from({ length: 100 }, (_, index) => [
  {
    text: `${openings[index % 5] ?? ''} the weather in ${cities[index % 10] ?? ''}?`,
    label: labels[0],
  },
  { text: `What is ${index + 3} plus ${index * 7 + 2}?`, label: labels[1] },
]).flat()
const question = 'weather or sum: {classes}'
// Its thoughts may have no end.
const vendor = { reasoning_format: 'none' }

const provider = createOpenAICompatible({ preset: presets['llamacpp-server'], model, baseUrl })
const caller: DialogCaller = createDialogCaller({
  name: 'bench',
  provider,
  mode: 'native',
  limits: { maxParseRetries: 1 },
  options: { temperature: 0, maxTokens: 24, reasoning: 'none', vendor },
})
const generate = definePrompt({
  path: 'generate',
  text: `{text}\n\n${question}`,
  parse: choice(labels),
})

type Found = Readonly<Record<string, number>> | undefined
const methods: Readonly<Record<string, (text: string) => Promise<Found>>> = {
  'classify, logprobs': async (text) =>
    (
      await caller.classify(Dialog.seed().send(text), labels, {
        method: 'logprobs',
        minCoverage: 0,
        question,
      })
    ).probabilities,
  'generate and parse': async (text) => {
    const { value } = await caller.call(
      Dialog.seed().send(generate, { text, classes: labels.join(', ') }),
    )
    return Object.fromEntries(labels.map((label) => [label, label === value ? 1 : 0]))
  },
}

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`
console.log('| method | right, of all | without a label | ms a label |')
console.log('|---|---|---|---|')
for (const [name, classify] of Object.entries(methods)) {
  await classify('What is the weather in Rome?').catch(() => undefined)
  let right = 0
  let missing = 0
  const startedAt = performance.now()
  for (const { text, label } of questions) {
    const probabilities = await classify(text).catch(() => undefined)
    if (!probabilities) missing++
    else if (Object.values(probabilities).every((one) => one <= (probabilities[label] ?? 0)))
      right++
  }
  const ms = (performance.now() - startedAt) / questions.length
  console.log(`| ${name} | ${percent(right / questions.length)} | ${missing} | ${ms.toFixed(1)} |`)
}
