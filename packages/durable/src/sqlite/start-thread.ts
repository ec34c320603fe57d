import process from 'node:process'
import { Worker } from 'node:worker_threads'
import { DurableError } from '../database/durable-error.js'
import type { ThreadData } from './sqlite-thread.js'

/**
 * The file of the thread. It lies next to the file of this module, whatever a build names them.
 *
 * @param moduleUrl `import.meta.url`; a bundle in CommonJS has none
 * @throws {DurableError} `unsupported`
 */
export function threadFile(moduleUrl: string | undefined): URL {
  try {
    return new URL(`./sqlite-thread.${/[^.]+$/.exec(moduleUrl ?? '')?.[0] ?? 'js'}`, moduleUrl)
  } catch (cause) {
    throw new DurableError(
      'unsupported',
      `@modelport/durable cannot find its own files: ${bundleHint}`,
      { cause },
    )
  }
}

/** @throws {DurableError} `unsupported` */
export function startThread(file: URL, data: ThreadData): Worker {
  try {
    return new Worker(file, { workerData: data })
  } catch (cause) {
    throw threadError(data.path, cause, false)
  }
}

/**
 * Why the thread of a store ended although nobody closed the store.
 *
 * @param hasStarted true if it replied to a request before
 */
export function threadError(path: string, cause: unknown, hasStarted: boolean): DurableError {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  if (hasStarted)
    return new DurableError('closed', `the store "${path}" ended${reason}; open the store again`, {
      cause,
    })
  return new DurableError(
    'unsupported',
    `the store "${path}" cannot start its thread${reason}; ${adviceOn(cause)}`,
    {
      cause,
    },
  )
}

const bundleHint =
  'do not bundle @modelport/durable: make it external, so that sqlite-thread.js stays next to the file that starts it'

function adviceOn(cause: unknown): string {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  if (code === 'ERR_UNKNOWN_BUILTIN_MODULE')
    return `use Node 22.19 or newer, without --no-experimental-sqlite (this is ${process.version})`
  if (code === 'ERR_ACCESS_DENIED')
    return 'start Node with --allow-worker and the right to read and write the file'
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
    ? bundleHint
    : 'the cause says why'
}
