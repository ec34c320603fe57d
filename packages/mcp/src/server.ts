export { serveMcp } from './serve-mcp.js'
export type { ServedMcp, ServeMcpOptions } from './serve-options.js'
