export type { BedrockConfig } from './config.js'
export type { AwsCredentials } from './credentials.js'
export { createBedrock } from './provider.js'
