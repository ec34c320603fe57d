import type { Readable, Writable } from 'node:stream'
import type { Environment } from '@modelport/factory'

/** Where a command writes. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** Where a command reads. */
export type Input = Readable & { readonly isTTY?: boolean }

/**
 * The parts of the process that commands use besides files and models. Passed in, so that tests
 * need no process.
 */
export interface Io {
  /** Where input comes from. */
  readonly stdin: Input
  /** Where results go. */
  readonly stdout: Output
  /** Where progress and failures go. */
  readonly stderr: Output
  /** Looks up an environment variable. */
  readonly environment: Environment
  /** The user's home folder. */
  readonly home: string
  /** Calls the listener at each Ctrl-C until the returned function is called. */
  onInterrupt(listener: () => void): () => void
}

/** Resolves when an output has taken everything, or failed and said so. */
export const written = (output: Output): Promise<void> =>
  new Promise((resolve) => {
    // A stream tells its error a moment after it is destroyed.
    if (output.destroyed) setImmediate(resolve)
    else
      output.write('', () => {
        resolve()
      })
  })
