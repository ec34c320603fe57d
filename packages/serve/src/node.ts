export type { ListeningServer, ServeOptions } from './server/node-serve.js'
export { serve } from './server/node-serve.js'
