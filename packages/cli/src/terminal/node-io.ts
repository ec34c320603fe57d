import { homedir } from 'node:os'
import { processEnvironment } from '@modelport/factory'
import type { Io } from './io.js'

/** The streams, the environment and the signals of this process. */
export function processIo(): Io {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: processEnvironment,
    home: homedir(),
    onInterrupt: (listener) => {
      process.on('SIGINT', listener)
      return () => {
        process.off('SIGINT', listener)
      }
    },
  }
}
