/* The files of undici that `undici-transport.ts` loads; its types describe only the whole. */
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici'
}
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici'
}
