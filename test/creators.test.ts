import type { Provider } from '@modelport/core'
import * as anthropic from '@modelport/provider-anthropic'
import * as bedrock from '@modelport/provider-bedrock'
import * as google from '@modelport/provider-google'
import * as llamacpp from '@modelport/provider-llamacpp'
import { createMock } from '@modelport/provider-mock'
import * as ollama from '@modelport/provider-ollama'
import * as openai from '@modelport/provider-openai'
import * as compatible from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'
import { type SuiteSettings, testedApis } from './providers.js'

// These two take a preset before the configuration.
const { createPreset: _, createPresetProvider: __, ...ofCompatible } = compatible

/** Every function of these packages that creates something of a configuration. */
const creators = Object.entries({
  ...anthropic,
  ...bedrock,
  ...google,
  ...llamacpp,
  ...ollama,
  ...openai,
  ...ofCompatible,
}).filter(([name]) => name.startsWith('create')) as [string, (config: never) => unknown][]

test.each(creators)('%s refuses what is not a configuration, and names itself', (name, create) => {
  for (const [given, said] of [
    [undefined, 'undefined'],
    [null, 'null'],
    [[], 'a list'],
    ['gpt-5.4', 'string'],
  ] as const)
    expect(() => create(given as never)).toThrow(
      expect.objectContaining({
        code: 'config',
        message: `${name}: pass a configuration object, like { model: '...' }, not ${said}`,
      }),
    )
})

test.each<[string, (settings: SuiteSettings) => Provider]>([
  ...testedApis.map(({ provider, create }): [string, typeof create] => [provider, create]),
  ['mock', (settings) => createMock({ responses: ['Hello'], ...settings })],
])('%s refuses a model that is not text or is empty, and names itself', (name, create) => {
  // The mock has a default.
  for (const model of [name === 'mock' ? null : undefined, null, '', 5])
    expect(() => create({ model: model as never })).toThrow(
      expect.objectContaining({
        code: 'config',
        message: `${name}: model must be text: the name of a model`,
      }) as Error,
    )
})
