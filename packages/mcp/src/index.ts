export type { McpPrompt } from './prompt.js'
export type {
  McpCommand,
  McpCustom,
  McpProgress,
  McpSettings,
  McpTransport,
  McpUrl,
} from './settings.js'
export { type McpSource, mcpTools } from './source.js'
export type { McpChange } from './trust/difference.js'
export { reviewLock } from './trust/gate.js'
export type { McpLock } from './trust/lock.js'
