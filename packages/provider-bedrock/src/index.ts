export type { BedrockConfig } from './config.js'
export type { AwsCredentials } from './credentials.js'
export { createBedrock } from './provider.js'
export { countTokens } from './token-count.js'
