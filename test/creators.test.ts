import type { Provider } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import * as compatible from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'
import { type SuiteSettings, testedApis, vendorPackages } from './providers.js'

type Exports = Readonly<Record<string, unknown>>
type Creator = (config: never) => unknown

// These two take a preset before the configuration.
const { createPreset: _, createPresetProvider: __, ...ofCompatible } = compatible

/** Every function of these packages that creates something of a configuration. */
const packages = await Promise.all(vendorPackages.map((name) => import(name) as Promise<Exports>))
const creators = [...packages, ofCompatible]
  .flatMap((exports) => Object.entries(exports))
  .filter((entry): entry is [string, Creator] => entry[0].startsWith('create'))

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
