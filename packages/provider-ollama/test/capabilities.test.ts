import { expect, test } from 'vitest'
import { capabilities } from '../src/capabilities.js'

test('capabilities are data with a source each; a profile settles what the model decides', () => {
  const known = capabilities()
  expect(known).toMatchObject({
    schema: { supported: true },
    logprobs: { supported: true },
    tools: { supported: 'by-model' },
    images: { supported: 'by-model' },
  })
  for (const { source } of Object.values(known))
    expect(source).toMatch(/^https:\/\/docs\.ollama\.com\//)
  expect(
    capabilities({ profile: { supportsTools: false, supportsJsonSchema: false } }),
  ).toMatchObject({
    tools: { supported: false },
    parallelTools: { supported: false },
    schema: { supported: false },
  })
  expect(capabilities({ profile: { supportsTools: true } })).toMatchObject({
    tools: { supported: true },
    parallelTools: { supported: 'by-model' },
  })
})
