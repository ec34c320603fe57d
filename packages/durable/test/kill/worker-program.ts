// The worker as one program: it starts five times faster than from its sources, so that more kills hit work and fewer hit a start.
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '../../../../test/support/bundle.js'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Makes the program in `folder`; returns its file. */
export async function bundleWorker(folder: string): Promise<string> {
  const { worker } = await bundlePrograms(folder, {
    worker: here('./worker.ts'),
    // The store looks for the file of its thread next to its own.
    'sqlite-thread': here('../../src/sqlite/sqlite-thread.ts'),
  })
  return worker
}

/** Starts a worker; `clock` says how its clock jumps, as `moved-clock.mjs` reads it. */
export const spawnWorker = (program: string, address: string, ledger: string, clock?: string): ChildProcess =>
  spawn(
    process.execPath,
    [
      ...(clock === undefined ? [] : ['--import', here('../support/moved-clock.mjs')]),
      ...[program, 'work', address, ledger],
    ],
    {
      env: { ...process.env, ...(clock !== undefined && { MOVED_CLOCK: clock }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
