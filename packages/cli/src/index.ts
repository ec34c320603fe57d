export { run } from './run.js'
export type {
  Input as CommandInput,
  Io as CommandIo,
  Output as CommandOutput,
} from './terminal/io.js'
