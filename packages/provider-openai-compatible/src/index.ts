export type { OpenAICompatibleConfig } from './provider.js'
export { createOpenAICompatible } from './provider.js'
