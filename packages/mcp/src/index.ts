export type { McpProgress, McpSettings, McpTransport } from './settings.js'
export { type McpSource, mcpTools } from './source.js'
