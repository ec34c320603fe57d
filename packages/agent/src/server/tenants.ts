/** First segments of the server's own paths. */
const reserved: ReadonlySet<string> = new Set([
  'a',
  'tasks',
  'v1',
  'state',
  'llm',
  'modelport',
  'healthz',
  'readyz',
  'extendedAgentCard',
  'openapi.json',
])

const pattern = /^[A-Za-z0-9][\w.-]{0,63}$/

/** True for a name that a tenant may have. */
export const isTenant = (name: string): boolean => pattern.test(name) && !reserved.has(name)
