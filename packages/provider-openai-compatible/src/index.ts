export { capabilities } from './capabilities.js'
export type { OpenAICompatibleConfig } from './config.js'
export type { OpenAICompatibleEmbedderConfig } from './embedder.js'
export { createOpenAICompatibleEmbedder } from './embedder.js'
export type { OpenAICompatibleModel } from './list-models.js'
export { listModels } from './list-models.js'
export type { OpenAICompatibleSpeechConfig } from './media.js'
export {
  createOpenAICompatibleImages,
  createOpenAICompatibleReranker,
  createOpenAICompatibleSpeech,
  createOpenAICompatibleTranscriber,
} from './media.js'
export type { Preset, PresetConfig, PresetName } from './preset.js'
export { createPresetProvider } from './preset.js'
export { createPreset, presets, toPresetConfig } from './presets.js'
export { createOpenAICompatible } from './provider.js'
export { countTokens } from './token-count.js'
