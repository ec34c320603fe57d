export {
  type FromLanguageModelConfig,
  fromLanguageModel,
  type LanguageModelProvider,
} from './from-model/from-language-model.js'
export type { AnyLanguageModel } from './from-model/to-current-model.js'
export type { ModelSource } from './model-source.js'
export type { BySpecification, SpecificationName } from './specification.js'
export { type AiTool, toAiTools } from './to-ai-tools.js'
export { type EmbeddingModelOptions, toEmbeddingModel } from './to-embedding-model.js'
export { type LanguageModelOptions, toLanguageModel } from './to-language-model.js'
