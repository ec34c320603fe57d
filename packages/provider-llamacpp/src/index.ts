export type { LlamaCppConfig } from './config.js'
export { type LlamaCppEmbedder, type LlamaCppEmbedderConfig, createLlamaCppEmbedder } from './embedder.js'
export { type LlamaCppProvider, createLlamaCpp } from './provider.js'
