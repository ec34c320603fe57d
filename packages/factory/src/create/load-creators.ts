import { configError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { installAdvice } from '../base/install-advice.js'
import type { ProviderCreators } from '../providers/row.js'
import type { LoadCreators } from './creation.js'

type Load = (fail: (cause: unknown) => never) => Promise<ProviderCreators>

/**
 * Imports each package by its literal name, so that a bundler sees what may be loaded. Each failure
 * is caught right here, so that a bundler treats a package that is not installed as optional.
 */
const packages: Readonly<Record<string, Load>> = {
  '@modelport/provider-anthropic': async (fail) => {
    const anthropic = await import('@modelport/provider-anthropic').catch(fail)
    return {
      createProvider: anthropic.createAnthropic,
      createBatches: anthropic.createAnthropicBatches,
      createFiles: anthropic.createAnthropicFiles,
      listModels: anthropic.listModels,
    }
  },
  '@modelport/provider-bedrock': async (fail) => {
    const bedrock = await import('@modelport/provider-bedrock').catch(fail)
    type TokenConfig = Parameters<typeof bedrock.createBedrockAccessToken>[0]
    type Settings = Omit<TokenConfig, 'region' | 'credentials'> & {
      readonly bedrock: Pick<TokenConfig, 'region' | 'credentials'>
    }
    return {
      createProvider: bedrock.createBedrock,
      createAccessToken: ({ bedrock: { region, credentials }, ...connection }: Settings) =>
        bedrock.createBedrockAccessToken({ region, credentials, ...connection }),
    }
  },
  '@modelport/provider-openai': async (fail) => {
    const openai = await import('@modelport/provider-openai').catch(fail)
    return {
      createProvider: openai.createOpenAI,
      createEmbedder: openai.createOpenAIEmbedder,
      createBatches: openai.createOpenAIBatches,
      createFiles: openai.createOpenAIFiles,
      listModels: openai.listModels,
    }
  },
  '@modelport/provider-google': async (fail) => {
    const google = await import('@modelport/provider-google').catch(fail)
    return {
      createProvider: google.createGoogle,
      createEmbedder: google.createGoogleEmbedder,
      createBatches: google.createGoogleBatches,
      createFiles: google.createGoogleFiles,
      createAccessToken: google.createGoogleAccessToken,
      listModels: google.listModels,
    }
  },
  '@modelport/provider-ollama': async (fail) => {
    const { createOllama, createOllamaEmbedder, listModels } = await import(
      '@modelport/provider-ollama'
    ).catch(fail)
    return { createProvider: createOllama, createEmbedder: createOllamaEmbedder, listModels }
  },
  '@modelport/provider-openai-compatible': async (fail) => {
    const compatible = await import('@modelport/provider-openai-compatible').catch(fail)
    const { createPreset, toPresetConfig } = compatible
    type Settings = Parameters<typeof toPresetConfig>[1] & {
      readonly preset: Parameters<typeof toPresetConfig>[0]
    }
    const ofRow =
      <T, More extends readonly unknown[]>(
        create: (config: ReturnType<typeof toPresetConfig>, ...more: More) => T,
      ) =>
      ({ preset, ...settings }: Settings, ...more: More): T =>
        create(toPresetConfig(preset, settings), ...more)
    return {
      createProvider: ({ preset, ...settings }: Settings) => createPreset(preset, settings),
      createEmbedder: ofRow(compatible.createOpenAICompatibleEmbedder),
      listModels: ofRow(compatible.listModels),
    }
  },
  '@modelport/provider-llamacpp': async (fail) => {
    const { createLlamaCpp, createLlamaCppEmbedder } = await import(
      '@modelport/provider-llamacpp'
    ).catch(fail)
    return { createProvider: createLlamaCpp, createEmbedder: createLlamaCppEmbedder }
  },
  '@modelport/provider-mock': async (fail) => {
    const { createMock } = await import('@modelport/provider-mock').catch(fail)
    return { createProvider: createMock }
  },
}

/**
 * Loads the package of a row.
 * @throws {LlmError} `config` — it is not installed: the message is the command that installs it.
 */
export const loadCreators: LoadCreators = ({ name, package: wanted }) => {
  const load = wanted === undefined ? undefined : packages[wanted]
  if (!load || wanted === undefined) {
    return Promise.reject(
      configError(
        `${name}: modelport cannot load ${wanted ?? 'it'}; give the row creators of its own`,
      ),
    )
  }
  return load((cause) => {
    const message = errorText(cause)
    // An installed package may import one that is not installed.
    const missing = message.split(/ (?:imported )?from /)[0] ?? ''
    const why = missing.includes(wanted)
      ? `the package ${wanted} is not installed`
      : `the package ${wanted} does not load: ${message}`
    throw configError(`${name}: ${why}; ${installAdvice(wanted)}`, { cause })
  })
}
