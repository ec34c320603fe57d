export { toAiTools } from './to-ai-tools.js'
export { toEmbeddingModel } from './to-embedding-model.js'
export { toLanguageModel } from './to-language-model.js'
