export type { McpSettings, McpTransport } from './settings.js'
export { type McpSource, mcpTools } from './source.js'
