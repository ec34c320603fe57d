export type { BySpecification } from './specification.js'
export { type AiTool, toAiTools } from './to-ai-tools.js'
export { type EmbeddingModelOptions, toEmbeddingModel } from './to-embedding-model.js'
export { type LanguageModelOptions, toLanguageModel } from './to-language-model.js'
