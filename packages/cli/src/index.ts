export { exitCodeOf, exitCodes } from './errors/exit-codes.js'
export type { Input, Io, Output } from './terminal/io.js'
export { processIo } from './terminal/node-io.js'
export { run } from './run.js'
