export type { BedrockConfig } from './config.js'
export type { AwsCredentials, CredentialSource } from './credentials.js'
export { createBedrock } from './provider.js'
export type { ModelTraits } from './traits.js'
