export { createGoogleAccessToken, type GoogleTokenConfig } from './access-token.js'
export { createGoogleBatches } from './batches.js'
export type {
  GoogleConfig,
  GoogleEndpointConfig,
  GoogleVertexConfig,
  ServiceAccount,
} from './config.js'
export type { GoogleEmbedderConfig } from './embedder.js'
export { createGoogleEmbedder } from './embedder.js'
export { createGoogleFiles } from './files.js'
export type { GoogleModel } from './list-models.js'
export { listModels } from './list-models.js'
export { createGoogle } from './provider.js'
export { countTokens } from './token-count.js'
export { cheapestModel, type ModelTraits, type ReasoningLevel } from './traits.js'
