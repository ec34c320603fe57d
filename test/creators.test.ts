import type { Provider } from '@modelport/core'
import { createAnthropic, createAnthropicFiles } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle, createGoogleEmbedder, createGoogleFiles } from '@modelport/provider-google'
import { createLlamaCpp, createLlamaCppEmbedder } from '@modelport/provider-llamacpp'
import { createMock } from '@modelport/provider-mock'
import { createOllama, createOllamaEmbedder } from '@modelport/provider-ollama'
import { createOpenAI, createOpenAIEmbedder, createOpenAIFiles } from '@modelport/provider-openai'
import {
  createOpenAICompatible,
  createOpenAICompatibleEmbedder,
} from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'
import { type SuiteSettings, testedApis } from './providers.js'

const creators: Readonly<Record<string, (config: never) => unknown>> = {
  createAnthropic,
  createAnthropicFiles,
  createBedrock,
  createGoogle,
  createGoogleEmbedder,
  createGoogleFiles,
  createLlamaCpp,
  createLlamaCppEmbedder,
  createOllama,
  createOllamaEmbedder,
  createOpenAI,
  createOpenAICompatible,
  createOpenAICompatibleEmbedder,
  createOpenAIEmbedder,
  createOpenAIFiles,
}

test.each(Object.entries(creators))(
  '%s refuses what is not a configuration, and names itself',
  (name, create) => {
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
  },
)

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
