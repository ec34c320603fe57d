export type { LlamaCppConfig, LlamaCppModelConfig } from './config.js'
export {
  createLlamaCppEmbedder,
  type LlamaCppEmbedder,
  type LlamaCppEmbedderConfig,
} from './embedder.js'
export { createLlamaCpp, type LlamaCppProvider } from './provider.js'
