import { vendorModels } from '@modelport/catalog'
import type { PriceFacts } from '@modelport/catalog/prices'
import { describeProvider, type ModelProfile } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { type FactoryContext, type ModelConfig, newProvider, parseConfig } from '../src/index.js'
import { emptyEnvironment, failureOf } from './support.js'

const context: FactoryContext = { environment: emptyEnvironment }
const config: ModelConfig = {
  provider: 'anthropic',
  model: 'claude-haiku-4-5',
  apiKey: 'key-of-tests-0123',
}
const profileOf = async (
  fields: Partial<ModelConfig>,
  more?: FactoryContext,
): Promise<ModelProfile | undefined> =>
  describeProvider(await newProvider({ ...config, ...fields }, { ...context, ...more })).profile

describe('profile.catalog', () => {
  test('profile.catalog fills in the window and the prices of the catalog, and own fields win', async () => {
    const [facts] = vendorModels['anthropic']!.filter(({ id }) => id === 'claude-haiku-4-5')
    const { contextWindow, prices } = facts!
    expect(await profileOf({ profile: { catalog: true } })).toEqual({
      contextWindow,
      prices,
    })
    expect(await profileOf({ profile: { catalog: true, contextWindow: 1000 } })).toEqual({
      contextWindow: 1000,
      prices,
    })
  })

  test('profile.catalog is off unless asked for: no price is used that nobody gave', async () => {
    expect(await profileOf({})).toBeUndefined()
    expect(await profileOf({ profile: { contextWindow: 5 } })).toEqual({ contextWindow: 5 })
    expect(await profileOf({ profile: { catalog: false, contextWindow: 5 } })).toEqual({
      contextWindow: 5,
    })
  })

  test('profile.catalog takes the models of the context instead of those of the catalog', async () => {
    const models = {
      anthropic: [
        { id: 'claude-haiku-4-5', contextWindow: 7, source: 'https://a.test', date: '2026-01-01' },
      ],
    }
    expect(await profileOf({ profile: { catalog: true } }, { models })).toEqual({
      contextWindow: 7,
    })
    expect(
      (await failureOf(() => profileOf({ profile: { catalog: true } }, { models: {} }))).message,
    ).toContain('It knows: no model of this provider')
  })

  test('profile.catalog asks a function for the facts, and says why a price is not known', async () => {
    const models = (): PriceFacts => ({
      id: 'claude-haiku-4-5',
      contextWindow: 7,
      reason: 'it is sold by the hour',
      source: 'https://a.test',
      date: '2026-01-01',
    })
    expect(
      await failureOf(() => profileOf({ profile: { catalog: true } }, { models })),
    ).toMatchObject({
      code: 'config',
      message:
        'anthropic: profile.catalog: the model "claude-haiku-4-5" has no known price: it is sold by the hour; write prices: {input: …, output: …} into the profile',
    })
    const prices = { input: 1, output: 2 }
    expect(await profileOf({ profile: { catalog: true, prices } }, { models })).toEqual({
      contextWindow: 7,
      prices,
    })
  })

  test('profile.catalog is refused for an unknown model and at another address, where prices differ', async () => {
    expect(
      await failureOf(() => profileOf({ model: 'claude-x', profile: { catalog: true } })),
    ).toMatchObject({
      code: 'config',
      message: expect.stringContaining(
        'the catalog has no facts of the model "claude-x"',
      ) as string,
    })
    expect(
      (
        await failureOf(() =>
          profileOf({ baseUrl: 'https://gateway.test', profile: { catalog: true } }),
        )
      ).message,
    ).toContain("prices at another address than the vendor's own are not known")
  })

  test('profile.catalog is a field of the file', () => {
    const text = `models: [{name: a, provider: anthropic, model: claude-haiku-4-5, profile: {catalog: true}}]\nroles: {chat: a}`
    expect(parseConfig(text).models[0]?.profile).toEqual({ catalog: true })
  })
})
