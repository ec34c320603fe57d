import { attach } from './attach/attach.js'

// The import is the whole interface: `node --import @modelport/studio/attach app.mjs`.
attach()
