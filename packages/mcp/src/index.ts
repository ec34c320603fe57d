export type { McpPrompt } from './prompt.js'
export type { McpProgress, McpSettings, McpTransport } from './settings.js'
export { type McpSource, mcpTools } from './source.js'
