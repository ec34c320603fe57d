import { createAnthropic, createAnthropicFiles } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle, createGoogleEmbedder, createGoogleFiles } from '@modelport/provider-google'
import { createLlamaCpp, createLlamaCppEmbedder } from '@modelport/provider-llamacpp'
import { createOllama, createOllamaEmbedder } from '@modelport/provider-ollama'
import { createOpenAI, createOpenAIEmbedder, createOpenAIFiles } from '@modelport/provider-openai'
import { createOpenAICompatible, createOpenAICompatibleEmbedder } from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'

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

test.each(Object.entries(creators))('%s refuses what is not a configuration, and names itself', (name, create) => {
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
