export type { PushSenderOptions } from './server/node-push.js'
export { createPushSender } from './server/node-push.js'
export type { ListeningServer, ServeOptions } from './server/node-serve.js'
export { serve } from './server/node-serve.js'
