export { fromLanguageModel, type LanguageModelProvider } from './from-language-model.ts'
export { toAiTools } from './to-ai-tools.ts'
export { toEmbeddingModel } from './to-embedding-model.ts'
export { toLanguageModel } from './to-language-model.ts'
