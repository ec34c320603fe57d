import { randomUUID } from 'node:crypto'
import type { Backend, StepAttempt } from 'openworkflow/internal'
import type { Claim, DurableEngine, SleepOptions } from './engine.js'

/** The part of the engine's backend that is used; one of these exists per queue, which is the engine's namespace. */
export type EngineBackend = Pick<
  Backend,
  | 'createWorkflowRun'
  | 'getWorkflowRun'
  | 'claimWorkflowRun'
  | 'extendWorkflowRunLease'
  | 'sleepWorkflowRun'
  | 'completeWorkflowRun'
  | 'cancelWorkflowRun'
  | 'createStepAttempt'
  | 'listStepAttempts'
  | 'completeStepAttempt'
  | 'sendSignal'
>

/** A backend whose methods all go through one function. */
export function backendOf(call: (method: keyof EngineBackend, params: unknown) => Promise<unknown>): EngineBackend {
  const to =
    (method: keyof EngineBackend) =>
    (params: unknown): Promise<never> =>
      call(method, params) as Promise<never>
  return {
    createWorkflowRun: to('createWorkflowRun'),
    getWorkflowRun: to('getWorkflowRun'),
    claimWorkflowRun: to('claimWorkflowRun'),
    extendWorkflowRunLease: to('extendWorkflowRunLease'),
    sleepWorkflowRun: to('sleepWorkflowRun'),
    completeWorkflowRun: to('completeWorkflowRun'),
    cancelWorkflowRun: to('cancelWorkflowRun'),
    createStepAttempt: to('createStepAttempt'),
    listStepAttempts: to('listStepAttempts'),
    completeStepAttempt: to('completeStepAttempt'),
    sendSignal: to('sendSignal'),
  }
}

/** Where the engine's tables are: its backend cannot delete. */
export interface EngineTables {
  /** Runs the statements in one transaction, with `?` for each parameter. */
  write(statements: readonly { readonly sql: string; readonly params?: readonly string[] }[]): Promise<unknown>
}

/** Runs on openworkflow's backend. Its worker is not used: lease and heartbeat are fixed there, and it claims what it cannot run. */
export class OpenWorkflowEngine implements DurableEngine {
  readonly #backendOf: (queue: string) => EngineBackend
  readonly #tables: EngineTables

  constructor(backendOf: (queue: string) => EngineBackend, tables: EngineTables) {
    this.#backendOf = backendOf
    this.#tables = tables
  }

  async start(queue: string, key: string): Promise<string> {
    const run = await this.#backendOf(queue).createWorkflowRun({
      workflowName: 'run',
      version: null,
      idempotencyKey: null,
      config: {},
      context: null,
      input: key,
      parentStepAttemptNamespaceId: null,
      parentStepAttemptId: null,
      availableAt: null,
      deadlineAt: null,
    })
    return run.id
  }

  async claim(queue: string, leaseMs: number): Promise<Claim | undefined> {
    const backend = this.#backendOf(queue)
    const token = randomUUID()
    const run = await backend.claimWorkflowRun({ workerId: token, leaseDurationMs: leaseMs })
    if (!run) return undefined
    const claim = {
      run: run.id,
      queue,
      key: typeof run.input === 'string' ? run.input : '',
      attempt: run.attempts,
      token,
    }
    await this.#closeWaits(backend, claim)
    return claim
  }

  extend(claim: Claim, leaseMs: number): Promise<boolean> {
    return held(() =>
      this.#backendOf(claim.queue).extendWorkflowRunLease({ ...ownerOf(claim), leaseDurationMs: leaseMs }),
    )
  }

  async sleep(claim: Claim, { until, hasWork }: SleepOptions): Promise<boolean> {
    const backend = this.#backendOf(claim.queue)
    const timeoutAt = new Date(until ?? never)
    const isHeld = await held(() =>
      backend.createStepAttempt({
        ...ownerOf(claim),
        stepName: `wait-${claim.attempt}`,
        kind: 'signal-wait',
        config: {},
        context: { kind: 'signal-wait', signal: signalOf(claim.run), timeoutAt: timeoutAt.toISOString() },
      }),
    )
    if (!isHeld) return false
    const availableAt = (await hasWork()) ? new Date(0) : timeoutAt
    return held(() => backend.sleepWorkflowRun({ ...ownerOf(claim), availableAt }))
  }

  async wake(queue: string, run: string): Promise<void> {
    await this.#backendOf(queue).sendSignal({ signal: signalOf(run), data: null, idempotencyKey: null })
  }

  finish(claim: Claim): Promise<boolean> {
    return held(() => this.#backendOf(claim.queue).completeWorkflowRun({ ...ownerOf(claim), output: null }))
  }

  async cancel(queue: string, run: string): Promise<void> {
    if (await this.isLive(queue, run))
      await held(() => this.#backendOf(queue).cancelWorkflowRun({ workflowRunId: run }))
  }

  async isLive(queue: string, run: string): Promise<boolean> {
    const found = await this.#backendOf(queue).getWorkflowRun({ workflowRunId: run })
    return found !== null && ['pending', 'running', 'sleeping'].includes(found.status)
  }

  async prune(before: number): Promise<void> {
    // The waits of a run are deleted with it.
    await this.#tables.write([
      { sql: 'DELETE FROM workflow_runs WHERE finished_at < ?', params: [new Date(before).toISOString()] },
      { sql: 'DELETE FROM workflow_signals WHERE workflow_run_id NOT IN (SELECT id FROM workflow_runs)' },
    ])
  }

  /** A wait that stays open would wake the run again each time it sleeps. */
  async #closeWaits(backend: EngineBackend, claim: Claim): Promise<void> {
    if (claim.attempt === 1) return
    let after: string | undefined
    do {
      const page = await backend.listStepAttempts({ workflowRunId: claim.run, ...(after !== undefined && { after }) })
      for (const { id } of page.data.filter(isOpen))
        await held(() => backend.completeStepAttempt({ ...ownerOf(claim), stepAttemptId: id, output: null }))
      after = page.pagination.next ?? undefined
    } while (after !== undefined)
    // Nobody needs them any more, and a run may wait any number of times.
    await this.#tables.write([
      { sql: `DELETE FROM step_attempts WHERE workflow_run_id = ? AND status <> 'running'`, params: [claim.run] },
    ])
  }
}

const never = Date.UTC(9999, 0)
const signalOf = (run: string): string => `wake:${run}`
const ownerOf = ({ run, token }: Claim): { workflowRunId: string; workerId: string } => ({
  workflowRunId: run,
  workerId: token,
})
const isOpen = ({ status }: StepAttempt): boolean => status === 'running'

/** The engine rejects a write of a claim that is lost with a plain error "Failed to …", and nothing else with that text. */
async function held(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call()
    return true
  } catch (error) {
    if (error instanceof Error && /^(?:Failed to |Cannot cancel workflow run )/.test(error.message)) return false
    throw error
  }
}
