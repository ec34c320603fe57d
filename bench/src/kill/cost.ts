import { fork } from 'node:child_process'
import { once } from 'node:events'
import { openWorld } from './world.ts'

/**
 * What a step costs: one reply of the model with one call of a tool, in a process that has done a
 * job before.
 */
export interface Cost {
  /** Milliseconds of the worker's processor time. */
  readonly cpuMs: number
  /** Calls of `write` and its like, of which about two are the requests. */
  readonly writes: number
  /** Bytes handed to the disk by the worker; for PostgreSQL the growth of the server's log. */
  readonly bytes: number
}

const steps = 40

/** Runs jobs of 40 steps, each of two processes. @returns the medians of three */
export async function measureCost(
  place: () => Promise<{
    program: string
    store: string
    jobs: readonly string[]
    env: Readonly<Record<string, string>>
  }>,
  logOf: (() => Promise<number>) | undefined,
): Promise<Cost> {
  const costs: Cost[] = []
  for (let round = 0; round < 3; round++) {
    const {
      program,
      store,
      jobs: [job = ''],
      env,
    } = await place()
    const world = await openWorld(() => 'sent')
    const settings = {
      role: 'cost',
      store,
      job,
      calls: Array.from({ length: steps }, () => 'note'),
      model: `${world.url}/v1`,
      ledger: `${world.url}/ledger`,
    }
    const child = fork(program, {
      env: { ...process.env, ...env, KILL_SETTINGS: JSON.stringify(settings) },
      silent: true,
      execArgv: [],
    })
    child.stdout?.resume()
    child.stderr?.resume()
    let before = 0
    const report = await new Promise<Report>((resolve) => {
      child.on('message', (message: Report) => {
        if (message.warm) void logOf?.().then((bytes) => (before = bytes))
        else if (message.cost ?? message.failed !== undefined) resolve(message)
      })
    })
    const after = await logOf?.()
    child.kill('SIGKILL')
    await once(child, 'exit')
    world.close()
    if (!report.cost) throw new Error(report.failed)
    const { cpu, calls, bytes } = report.cost
    costs.push({
      cpuMs: cpu / 1000 / steps,
      writes: calls / steps,
      bytes: (after === undefined ? bytes : after - before) / steps,
    })
  }
  const median = (name: keyof Cost): number =>
    costs.map((cost) => cost[name]).toSorted((a, b) => a - b)[1] ?? NaN
  return { cpuMs: median('cpuMs'), writes: median('writes'), bytes: median('bytes') }
}

interface Report {
  readonly warm?: true
  readonly failed?: string
  readonly cost?: { readonly cpu: number; readonly calls: number; readonly bytes: number }
}
