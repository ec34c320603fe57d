import type { ProviderError } from '@modelport/core'
import { afterAll, expect, test } from 'vitest'
import { converse } from '../examples/basic/src/conversation.js'
import { createLocalModel, prompts } from '../examples/basic/src/local-model.js'

const provider = createLocalModel()
afterAll(() => provider.close())

/** What the demo prints for one question. */
async function said(prompt: string): Promise<readonly string[]> {
  let text = ''
  const usage = await converse(provider, prompt, (piece) => (text += piece))
  expect(usage.turns).toHaveLength(2)
  return text.trim().split(/\n\s*/)
}

test('npm run demo -- --local: a model in this process calls the tools and replies from their results', async (context) => {
  const failure = await provider.load().then(
    () => undefined,
    (error: unknown) => error as ProviderError,
  )
  if (failure?.type === 'missing-binary' || failure?.type === 'missing-package') {
    console.log(`skipped: ${failure.message}`)
    context.skip(failure.message)
  }
  expect(failure).toBeUndefined()
  const [weather = '', sum = ''] = prompts
  const [paris, rome, forecast] = await said(weather)
  expect([paris, rome]).toEqual([
    '→ get_weather({"city": "Paris"}) = 18 °C and sunny in Paris',
    '→ get_weather({"city": "Rome"}) = 18 °C and sunny in Rome',
  ])
  expect(forecast).toMatch(/18 degrees and sunny/)
  expect(await said(sum)).toEqual(['→ add({"a": 12, "b": 30}) = 42', 'The result is 42.'])
})
