import { once } from 'node:events'
import { resolve } from 'node:path'
import { type FactoryContext, resolveEnvironment } from '@modelport/factory'
import { Interrupted } from '../errors/exit-codes.js'
import { readKeyFile } from '../files/key-file.js'
import { defaultLocations, type Locations } from '../files/locations.js'
import { isReadableByOthers } from '../files/private-file.js'
import { type Io, written } from '../terminal/io.js'
import { Printer } from '../terminal/printer.js'
import { createPackageImport } from './allowed-packages.js'
import { listedFacts } from './price-list.js'

/** Options that every command takes. */
export interface CommonOptions {
  readonly json?: boolean
  readonly config?: string
}

/** What a command works with. */
export interface Cli {
  readonly io: Io
  /** True prints data for programs instead of text for people. */
  readonly json: boolean
  readonly out: Printer
  readonly err: Printer
  readonly locations: Locations
  /** True if `--config` or `MODELPORT_CONFIG` names the file, which must exist then. */
  readonly configGiven: boolean
  /** How configurations are read: with the environment, and behind it the key file. */
  readonly context: FactoryContext
  /** Aborted at Ctrl-C, with {@link Interrupted}, and when nobody reads the output any more. */
  readonly signal: AbortSignal
}

/** Puts together what a command works with. */
export async function createCli(io: Io, options: CommonOptions, signal: AbortSignal): Promise<Cli> {
  const { environment } = io
  const usual = defaultLocations(environment, io.home)
  // A variable that is empty is not set.
  const named = options.config ?? environment('MODELPORT_CONFIG') ?? ''
  const locations = named ? { ...usual, config: resolve(named) } : usual
  const keys = await readKeyFile(locations.keys)
  const err = new Printer(io.stderr, environment)
  const json = options.json === true
  if (keys.size && (await isReadableByOthers(locations.keys))) {
    const warning = `others can read ${locations.keys}; run: chmod 600 ${locations.keys}`
    if (json) err.json({ warning })
    else err.line(`warning: ${warning}`)
  }
  return {
    io,
    json,
    out: new Printer(io.stdout, environment),
    err,
    locations,
    configGiven: named !== '',
    context: {
      environment: (name) => environment(name) ?? keys.get(name),
      // Configurations of OpenParallax have it before the names of their variables.
      environmentPrefix: 'OP_',
      models: listedFacts,
      importModule: createPackageImport(io, locations.allowedPackages),
    },
    signal,
  }
}

/** The value of a variable of a configuration, whether or not the prefix stands before its name. */
export const readVariable = (
  { context: { environment, environmentPrefix } }: Cli,
  name: string,
): string | undefined => resolveEnvironment(name, environment, environmentPrefix)

/** Resolves when the signal is aborted: a server runs until then. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** The part of a command that runs while its outputs are open. */
export interface CommandLife {
  /** Aborted by the first Ctrl-C, and when an output takes nothing any more. */
  readonly signal: AbortSignal
  /** Rejects with the error of a failed write. Ignores a closed pipe: its reader needs no more. */
  flush(): Promise<void>
  /** True where the reader of an output is gone. */
  readerIsGone(): boolean
  end(): void
}

/** Watches over Ctrl-C and the outputs until `end`. */
export function createLife(io: Io): CommandLife {
  const controller = new AbortController()
  let failure: NodeJS.ErrnoException | undefined
  const readerIsGone = (): boolean => failure?.code === 'EPIPE'
  const forget = io.onInterrupt(() => {
    controller.abort(new Interrupted('interrupted'))
  })
  const onError = (error: NodeJS.ErrnoException): void => {
    failure ??= error
    controller.abort(error)
  }
  io.stdout.on('error', onError)
  io.stderr.on('error', onError)
  return {
    signal: controller.signal,
    flush: async () => {
      await Promise.all([io.stdout, io.stderr].map(written))
      if (failure && !readerIsGone()) throw failure
    },
    readerIsGone,
    end: () => {
      forget()
      io.stdout.off('error', onError)
      io.stderr.off('error', onError)
    },
  }
}
