// Written from the packages of vendors: pnpm vendors
import type { ProviderCreators } from '../providers/row.js'

/** Loads the creators of a package. `fail` is called with what the import threw. */
export type LoadPackage = (fail: (cause: unknown) => never) => Promise<ProviderCreators>

/**
 * Imports each package by its literal name, so that a bundler sees what may be loaded. Each failure
 * is caught right here, so that a bundler treats a package that is not installed as optional.
 */
export const vendorPackages: Readonly<Record<string, LoadPackage>> = {
  '@modelport/provider-anthropic': async (fail) => {
    const loaded = await import('@modelport/provider-anthropic').catch(fail)
    return {
      createProvider: loaded.createAnthropic,
      createBatches: loaded.createAnthropicBatches,
      createFiles: loaded.createAnthropicFiles,
      listModels: loaded.listModels,
    }
  },
  '@modelport/provider-bedrock': async (fail) => {
    const loaded = await import('@modelport/provider-bedrock').catch(fail)
    return {
      createProvider: loaded.createBedrock,
      createAccessToken: loaded.createBedrockAccessToken,
    }
  },
  '@modelport/provider-google': async (fail) => {
    const loaded = await import('@modelport/provider-google').catch(fail)
    return {
      createProvider: loaded.createGoogle,
      createEmbedder: loaded.createGoogleEmbedder,
      createBatches: loaded.createGoogleBatches,
      createFiles: loaded.createGoogleFiles,
      createAccessToken: loaded.createGoogleAccessToken,
      listModels: loaded.listModels,
    }
  },
  '@modelport/provider-llamacpp': async (fail) => {
    const loaded = await import('@modelport/provider-llamacpp').catch(fail)
    return {
      createProvider: loaded.createLlamaCpp,
      createEmbedder: loaded.createLlamaCppEmbedder,
    }
  },
  '@modelport/provider-ollama': async (fail) => {
    const loaded = await import('@modelport/provider-ollama').catch(fail)
    return {
      createProvider: loaded.createOllama,
      createEmbedder: loaded.createOllamaEmbedder,
      listModels: loaded.listModels,
    }
  },
  '@modelport/provider-openai': async (fail) => {
    const loaded = await import('@modelport/provider-openai').catch(fail)
    return {
      createProvider: loaded.createOpenAI,
      createEmbedder: loaded.createOpenAIEmbedder,
      createBatches: loaded.createOpenAIBatches,
      createFiles: loaded.createOpenAIFiles,
      listModels: loaded.listModels,
    }
  },
}
