export { exitCodeOf, exitCodes } from './exit-codes.js'
export type { Input, Io, Output } from './io.js'
export { processIo } from './node-io.js'
export { run } from './run.js'
