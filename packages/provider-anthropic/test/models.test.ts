import { describe, expect, test } from 'vitest'
import { capabilities } from '../src/capabilities.js'
import { cheapestModel, createAnthropic } from '../src/index.js'
import { traitsOf } from '../src/traits.js'

describe('what a model takes', () => {
  test.each([
    [
      'claude-haiku-4-5-20251001',
      { thinking: 'budget', sampling: 'accepted', systemWithin: false },
    ],
    ['claude-opus-4@20250514', { thinking: 'budget' }],
    ['claude-3-5-sonnet-20241022', { thinking: 'none' }],
    ['claude-3-7-sonnet-20250219', { thinking: 'budget' }],
    ['claude-opus-4-6', { thinking: 'adaptive', sampling: 'accepted' }],
    ['claude-opus-4-8', { sampling: 'refused', systemWithin: true }],
    ['anthropic/claude-opus-5-5', { thinkingOff: 'never', forcedTools: false }],
    ['anthropic.claude-opus-4-8', { sampling: 'refused', systemWithin: true }],
    ['us.anthropic.claude-opus-4-6', { sampling: 'accepted' }],
    ['claude-opus-5', { thinkingOff: 'disabled', forcedTools: true }],
    ['claude-opus-50', { sampling: 'unknown' }],
    ['tinytool', { sampling: 'unknown', thinking: 'adaptive' }],
  ])('the table says what the model %s takes', (model, traits) => {
    expect(traitsOf(model)).toMatchObject(traits)
  })

  test('what a model takes is what the configuration says, before the table', () => {
    expect(traitsOf('claude-opus-5', { thinking: 'budget' })).toMatchObject({
      thinking: 'budget',
      sampling: 'refused',
    })
  })
})

test('models and estimates can be overridden', () => {
  const config = { apiKey: 'sk-ant-test-0123456789', model: 'claude-sonnet-4-5' }
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20)
  expect(createAnthropic(config)).toMatchObject({
    name: 'anthropic',
    model: 'claude-sonnet-4-5',
    cheapestModel,
  })
  expect(createAnthropic({ ...config, cheapestModel: 'other' }).cheapestModel).toBe('other')
  const estimate = (more: object): number =>
    createAnthropic({ ...config, ...more }).estimateTokens(text)
  expect(estimate({ model: 'claude-opus-5-5' })).toBeGreaterThan(estimate({}))
  expect(estimate({ tokenFactor: 3 })).toBeGreaterThan(estimate({ model: 'claude-opus-5-5' }))
})

test('capabilities names a source for each ability', () => {
  const {
    providerTools,
    fewestTokens: _least,
    ...found
  } = capabilities({ model: 'claude-opus-5-5' })
  expect(providerTools).toHaveProperty('webSearch')
  expect(
    Object.fromEntries(Object.entries(found).map(([name, { supported }]) => [name, supported])),
  ).toEqual({
    tools: true,
    parallelTools: true,
    images: true,
    schema: 'by-model',
    logprobs: false,
    reasoning: true,
    embeddings: false,
    files: true,
  })
  for (const { source } of Object.values(found)) expect(source).toMatch(/^https:/)
  expect(capabilities({ model: 'claude-3-5-sonnet-20241022' }).reasoning.supported).toBe(false)
  expect(
    capabilities({
      model: 'other',
      traits: { thinking: 'none' },
      profile: { supportsJsonSchema: false },
    }),
  ).toMatchObject({ reasoning: { supported: false }, schema: { supported: false } })
})
