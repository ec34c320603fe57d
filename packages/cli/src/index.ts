export type { Io } from './terminal/io.js'
export { run } from './run.js'
