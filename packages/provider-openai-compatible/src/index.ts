export { capabilities } from './capabilities.js'
export type { OpenAICompatibleEmbedderConfig } from './embedder.js'
export { createOpenAICompatibleEmbedder } from './embedder.js'
export type { OpenAICompatibleModel } from './list-models.js'
export { listModels } from './list-models.js'
export type { Preset, PresetConfig, PresetName } from './preset.js'
export { createPresetProvider, toRowConfig } from './preset.js'
export { createPreset, presets, presetsDate, toPresetConfig } from './presets.js'
export type { OpenAICompatibleConfig, Quirks } from './provider.js'
export { createOpenAICompatible, openAICompatibleHosts } from './provider.js'
export { llamacppServer, lmstudio, openaiCompatible, vllm } from './servers.js'
export { countTokens } from './token-count.js'
export {
  alibaba,
  cerebras,
  deepseek,
  fireworks,
  githubModels,
  grok,
  groq,
  huggingface,
  mistral,
  moonshot,
  openrouter,
  perplexity,
  together,
  zai,
} from './vendors.js'
