import { LlmError } from '@modelport/core'
import type { LoadCreators } from './make-provider.js'
import type { ProviderCreators } from './row.js'

/** Each package by its literal name, so that a bundler sees what may be loaded. */
const packages: Readonly<Record<string, () => Promise<ProviderCreators>>> = {
  '@modelport/provider-anthropic': async () => {
    const { createAnthropic } = await import('@modelport/provider-anthropic')
    return { createProvider: createAnthropic }
  },
  '@modelport/provider-openai': async () => {
    const { createOpenAI, createOpenAIEmbedder } = await import('@modelport/provider-openai')
    return { createProvider: createOpenAI, createEmbedder: createOpenAIEmbedder }
  },
  '@modelport/provider-google': async () => {
    const { createGoogle, createGoogleEmbedder } = await import('@modelport/provider-google')
    return { createProvider: createGoogle, createEmbedder: createGoogleEmbedder }
  },
  '@modelport/provider-ollama': async () => {
    const { createOllama, createOllamaEmbedder } = await import('@modelport/provider-ollama')
    return { createProvider: createOllama, createEmbedder: createOllamaEmbedder }
  },
  '@modelport/provider-openai-compatible': async () => {
    const { createOpenAICompatibleEmbedder, createPreset, toPresetConfig } = await import('@modelport/provider-openai-compatible')
    type Settings = Parameters<typeof toPresetConfig>[1] & { readonly preset: Parameters<typeof toPresetConfig>[0] }
    return {
      createProvider: ({ preset, ...settings }: Settings) => createPreset(preset, settings),
      createEmbedder: ({ preset, ...settings }: Settings) => createOpenAICompatibleEmbedder(toPresetConfig(preset, settings)),
    }
  },
  '@modelport/provider-llamacpp': async () => {
    const { createLlamaCpp } = await import('@modelport/provider-llamacpp')
    return { createProvider: createLlamaCpp }
  },
  '@modelport/provider-mock': async () => {
    const { createMock } = await import('@modelport/provider-mock')
    return { createProvider: createMock }
  },
}

/** Loads the package of a row. @throws {LlmError} `config` — it is not installed: the message is the command that installs it. */
export const loadCreators: LoadCreators = async ({ name, package: wanted }) => {
  const load = wanted === undefined ? undefined : packages[wanted]
  if (!load || wanted === undefined) {
    throw new LlmError('config', `${name}: modelport cannot load ${wanted ?? 'it'}; give the row creators of its own`)
  }
  try {
    return await load()
  } catch (cause) {
    const { message } = cause instanceof Error ? cause : new Error(String(cause))
    const why = message.includes(wanted) ? `the package ${wanted} is not installed` : `the package ${wanted} does not load: ${message}`
    throw new LlmError('config', `${name}: ${why}; run: npm i ${wanted}`, { cause })
  }
}
