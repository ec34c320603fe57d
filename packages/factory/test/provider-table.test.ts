import { vendors } from '@modelport/catalog'
import { cheapestModel as anthropicCheapest } from '@modelport/provider-anthropic'
import { cheapestModel as googleCheapest } from '@modelport/provider-google'
import { presets } from '@modelport/provider-openai-compatible'
import { describe, expect, test } from 'vitest'
import { googleHosts } from '../../provider-google/src/config.js'
import {
  apiHost,
  apiHosts,
  type FactoryContext,
  hostPort,
  type ModelConfig,
  newProvider,
  providerRows,
} from '../src/index.js'
import { emptyEnvironment, failureOf, wireHost } from './support.js'

const context: FactoryContext = { environment: emptyEnvironment }

describe('the table against the packages', () => {
  test.each(Object.entries(presets))(
    'the row of the preset %s is as its package says',
    (name, preset) => {
      const row = providerRows.find((one) => one.name === name)
      expect(row).toMatchObject({ name, keyEnv: preset.keyVariables, needsKey: preset.needsKey })
      expect(row?.model).toBe(preset.model)
      // A server that users run themselves has no cost tiers.
      expect(row?.cheapestModel).toBe(preset.needsKey ? preset.cheapestModel : undefined)
      expect(row?.baseUrl).toBe(preset.baseUrl)
      expect(row?.baseUrlEnv).toEqual(preset.baseUrlVariables)
      expect(row?.retired).toBe(preset.retired)
      expect(row?.selfHosted ?? false).toBe(!preset.needsKey)
    },
  )

  const usable = providerRows.filter(
    ({ offline, retired, name }) => !offline && !retired && name !== 'llamacpp',
  )
  const more: Record<string, Partial<ModelConfig>> = {
    'anthropic-foundry': { baseUrl: 'https://r.services.ai.azure.com/anthropic' },
    'anthropic-vertex': { vertex: { project: 'p', location: 'eu' } },
    vertex: { apiKey: undefined, vertex: { project: 'p', accessToken: () => 'token-of-tests' } },
  }
  test.each(usable.map(({ name }) => name))('%s contacts what the list says', async (name) => {
    const { minimal } = vendors.find((vendor) => vendor.name === name) ?? {}
    const { cloud, question } = usable.find((row) => row.name === name) ?? {}
    const asked = cloud && question && { [cloud]: { [question.setting]: question.example } }
    const config = { provider: name, ...asked, ...minimal, ...more[name] }
    expect(await wireHost(config)).toBe(apiHost(config, context))
  })

  test('addresses and models are those of the packages', async () => {
    const models = async (provider: string) =>
      (await newProvider({ provider, apiKey: 'key-of-tests-0123' }, context)).cheapestModel
    expect(await models('anthropic')).toBe(anthropicCheapest)
    expect(await models('google')).toBe(googleCheapest)
    expect(await models('openai')).toBe('gpt-5.4-mini')
    expect(await models('ollama')).toBe('llama3.2')
    for (const [name, { needsKey, cheapestModel, retired }] of Object.entries(presets)) {
      if (needsKey && cheapestModel && !retired)
        expect(await models(name), name).toBe(cheapestModel)
    }
  })

  test('the hosts of Vertex AI are those of the package', () => {
    const locations = [
      undefined,
      'global',
      'us',
      'eu',
      'us-central1',
      'europe-west1',
      'me-central2',
    ]
    const ways = [
      { accessToken: () => 't' },
      { credentials: { client_email: 'a', private_key: 'b' } },
      { applicationDefault: true },
      {},
    ]
    for (const location of locations) {
      for (const way of ways) {
        const vertex = { project: 'p', ...(location !== undefined && { location }), ...way }
        expect(apiHosts({ provider: 'vertex', vertex }, context).map(hostPort)).toEqual(
          googleHosts({ vertex }),
        )
      }
    }
  })

  test('a service that its vendor closed is reported, not asked', async () => {
    expect(
      (
        await failureOf(() =>
          newProvider({ provider: 'github-models', apiKey: 'k-0123456789' }, context),
        )
      ).message,
    ).toContain('closed this service on 2026-07-30')
  })
})
