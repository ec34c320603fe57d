import { PassThrough, Readable, Writable } from 'node:stream'
import { run } from '../src/run.js'
import type { Input, Io, Output } from '../src/terminal/io.js'

/** How the world is for a command. */
export interface World {
  readonly home: string
  /** What is piped in; a string of chunks, or nothing. Undefined: a terminal. */
  readonly stdin?: string | Uint8Array
  /** True where outputs are terminals. */
  readonly terminal?: boolean
  readonly environment?: Readonly<Record<string, string>>
  /** Called with each piece of output. */
  readonly onOutput?: (text: string) => void
}

/** What a command did. */
export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A command that is running. */
export interface Running {
  readonly done: Promise<Outcome>
  /** Ctrl-C. */
  interrupt(): void
  /** Types into the terminal. */
  type(text: string): void
  /** Breaks the output: with EPIPE as when its reader ends. */
  breakOutput(code: 'EPIPE' | 'ENOSPC'): void
}

/** Starts a command without a process. */
export function startCommand(args: readonly string[], world: World): Running {
  const listeners = new Set<() => void>()
  const written = { out: '', err: '' }
  let broken: string | undefined
  const output = (name: 'out' | 'err'): Output =>
    Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, callback) => {
          if (broken !== undefined && name === 'out') {
            callback(Object.assign(new Error(`${broken}: write`), { code: broken }))
            return
          }
          written[name] += String(chunk)
          world.onOutput?.(String(chunk))
          callback()
        },
      }),
      world.terminal ? { isTTY: true, columns: 80 } : {},
    )
  const stdin: Input =
    world.stdin === undefined
      ? Object.assign(new PassThrough(), { isTTY: true })
      : Readable.from([Buffer.from(world.stdin)])
  const io: Io = {
    stdin,
    stdout: output('out'),
    stderr: output('err'),
    home: world.home,
    environment: (name) => world.environment?.[name],
    onInterrupt: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
  return {
    type: (text) => {
      if (stdin instanceof PassThrough) stdin.write(text)
    },
    done: run(args, io).then((code) => ({ code, ...written })),
    interrupt: () => {
      for (const listener of listeners) listener()
    },
    breakOutput: (code) => {
      broken = code
    },
  }
}

/** Runs a command to its end. */
export const command = (args: readonly string[], world: World): Promise<Outcome> =>
  startCommand(args, world).done
