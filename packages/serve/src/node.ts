export type { PushSenderOptions } from './push/node-push.js'
export { createPushSender } from './push/node-push.js'
export type { ListeningServer, ServeOptions } from './server/node-serve.js'
export { serve } from './server/node-serve.js'
