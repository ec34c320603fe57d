import { type ChatMessage, inSlot, isObject, slotOf } from '@modelport/core'
import type {
  InferRequest,
  ResumeDecision,
  RunCheckpoint,
  RunEventSink,
  RunJournal,
  RunResult,
} from '@modelport/runtime'
import { DurableError } from '../database/durable-error.js'
import { readJournal } from './entries.js'
import type { HeldRun, RunParts } from './held-run.js'
import { cancelOpenWork, ToolsOfRun } from './open-work.js'
import { toStoredResult, uncertainCalls } from './stored-result.js'

/** The argument of a durable function: pass `request(…)` to `infer`. */
export interface DurableRun {
  /** The id that the run was started with. */
  readonly id: string
  /** What the run was started with. Unset for `DurableRuns.run`. */
  readonly input?: unknown
  /** Stores intents, receipts and checkpoints. */
  readonly journal: RunJournal
  /** Stores the events. */
  readonly sink: RunEventSink
  /** Aborts when the run is cancelled, or when another worker may have claimed it. */
  readonly signal: AbortSignal
  /** Set if the run began before. */
  readonly resume?: RunCheckpoint
  /** The transcript stored with `resume`. */
  readonly messages: readonly ChatMessage[]
  /** What was decided about the pending items of `resume`. */
  readonly decisions: readonly ResumeDecision[]
  /**
   * The request for `infer`: the given one at the beginning, the same with the stored transcript,
   * checkpoint and decisions later. Its tools are used as {@link useTools} says.
   */
  request<Output>(request: InferRequest<Output>): InferRequest<Output>
  /**
   * Names tools of the run: if it is cancelled, they are asked to cancel the work that they left
   * pending. Only a function that does not use {@link request} calls it.
   */
  useTools(tools: Pick<InferRequest, 'tools' | 'sources'>): void
}

/** A value with the result of its run, for example of an agent call of `@modelport/dialog`. */
export interface WithRunResult<Output = unknown> {
  /** How the run ended. */
  readonly runResult: RunResult<Output>
}

/**
 * A function that is run durably. It may be called again in another process, with the stored state.
 * An error that has a `runResult` ends the run with that result; any other error gives the run
 * back.
 */
export type RunFunction<Output = unknown> = (
  run: DurableRun,
) => Promise<RunResult<Output> | WithRunResult<Output>>

/** No call. */
const none: ReadonlySet<string> = new Set()

/** How a run is worked on. */
export interface Execution {
  /** Stops the work here, not the run. */
  readonly signal?: AbortSignal
  /**
   * True if nobody sees a rejection: then it counts like a crash, and the run is claimed again a
   * little later.
   */
  readonly countsRejection?: boolean
}

/**
 * Works on a held run until it is over or waits.
 *
 * @throws an error of `execute` or of the database, or the signal's reason; the run was given back
 * then
 */
export async function executeRun(
  parts: RunParts,
  held: HeldRun,
  execute: RunFunction,
  execution: Execution,
): Promise<void> {
  held.journal.givesBack = execution.signal
  const tools = new ToolsOfRun()
  try {
    const { cancel } = held.run
    if (cancel !== undefined) {
      await endCancelled(parts, held, execute, { ...execution, reason: cancel })
      return
    }
    const context = await contextOf(held, execution.signal, tools)
    const result = await callOnce(held, execute, context, execution)
    if (result.status === 'suspended')
      await held.end({
        status: 'suspended',
        result: toStoredResult(result, []),
        wake: wakeOf(result),
      })
    else {
      const left =
        result.status === 'cancelled'
          ? await cancelAll(parts, held, () => Promise.resolve(tools), execution)
          : none
      await finish(parts, held, result, left)
    }
  } finally {
    held.stop()
  }
}

async function callOnce(
  held: HeldRun,
  execute: RunFunction,
  context: DurableRun,
  execution: Execution,
): Promise<RunResult> {
  const { signal: outer } = execution
  try {
    const work = (): ReturnType<typeof resultOf> => resultOf(execute(context))
    const slot = slotOf('durable')
    const result = await (slot?.hasSubscribers
      ? inSlot(slot, { name: context.id, runId: context.id }, work)
      : work())
    if (held.failure) throw held.failure
    if (result.status === 'cancelled' && !held.isCancelled) outer?.throwIfAborted()
    return result
  } catch (error) {
    return giveBack(held, error, execution)
  }
}

/** Gives back a run whose work failed here. @throws why */
async function giveBack(
  held: HeldRun,
  error: unknown,
  { signal: outer, countsRejection = false }: Execution,
): Promise<never> {
  // The database may be away, or the claim lost: then the end of the lease gives the run back.
  const isRejection = countsRejection && held.failure === undefined && !outer?.aborted
  await held.release(isRejection ? { rejection: error } : {}).catch(() => undefined)
  if (held.failure) throw held.failure
  throw error
}

/** Cancels the work that tools left pending. A run whose work cannot be cancelled is given back. */
async function cancelAll(
  parts: RunParts,
  held: HeldRun,
  learn: () => Promise<ToolsOfRun>,
  execution: Execution,
): Promise<ReadonlySet<string>> {
  try {
    return await cancelOpenWork(parts, held, learn)
  } catch (error) {
    return giveBack(held, error, execution)
  }
}

async function resultOf(outcome: ReturnType<RunFunction>): Promise<RunResult> {
  const settled = await outcome.catch((error: unknown) => {
    if (hasRunResult(error)) return error
    throw error
  })
  const result = hasRunResult(settled) ? settled.runResult : settled
  if (isObject(result) && typeof result.status === 'string' && Array.isArray(result.transcript))
    return result
  throw new DurableError('unsupported', 'the function of a run must return what infer returned')
}

const hasRunResult = (value: unknown): value is WithRunResult =>
  typeof value === 'object' &&
  value !== null &&
  'runResult' in value &&
  value.runResult !== undefined

async function contextOf(
  held: HeldRun,
  outer: AbortSignal | undefined,
  tools: ToolsOfRun,
): Promise<DurableRun> {
  const { id, checkpoint, input, acceptsChange } = held.run
  const pending = new Set(checkpoint?.pending.map((item) => item.id))
  const context = {
    id,
    ...(input !== undefined && { input }),
    journal: held.journal,
    sink: held.journal,
    signal: AbortSignal.any([held.signal, ...(outer ? [outer] : [])]),
    messages: checkpoint ? await held.journal.messages() : [],
    ...(checkpoint && { resume: checkpoint }),
    decisions: held.decisions.filter((decision) => pending.has(decision.id)),
  }
  return {
    ...context,
    request: (request) => {
      tools.add(request)
      return toRequest(request, context, acceptsChange)
    },
    useTools: (used) => tools.add(used),
  }
}

function toRequest<Output>(
  request: InferRequest<Output>,
  {
    id,
    journal,
    sink,
    signal,
    resume,
    messages,
    decisions,
  }: Omit<DurableRun, 'request' | 'useTools'>,
  acceptsChange: boolean,
): InferRequest<Output> {
  const { query, messages: given, history, durable = {}, observe = {}, ...rest } = request
  return {
    ...rest,
    ...(resume ? { messages } : { query, messages: given, history }),
    durable: {
      ...durable,
      // It was opened again under another definition.
      ...(acceptsChange && { acceptChange: () => true }),
      ...(resume && { resume, decisions }),
      runId: id,
      scope: { ...durable.scope, keyPrefix: durable.scope?.keyPrefix ?? id },
      journal,
    },
    observe: { ...observe, sink },
    signal: rest.signal ? AbortSignal.any([rest.signal, signal]) : signal,
  }
}

async function finish(
  parts: RunParts,
  held: HeldRun,
  result: RunResult,
  left: ReadonlySet<string>,
): Promise<void> {
  const isCancelled = held.isCancelled && result.status === 'cancelled'
  await held.journal.setTranscript(result.transcript)
  const uncertain =
    result.status === 'cancelled' ? uncertainCalls(await readJournal(parts, held.run.id), left) : []
  await held.end({
    status: isCancelled ? 'cancelled' : 'finished',
    result: toStoredResult(result, uncertain),
  })
}

/**
 * Ends a run that was cancelled before it was claimed. Nothing is started for it; its function is
 * called, with an aborted signal, only to name the tools that have to cancel work.
 */
async function endCancelled(
  parts: RunParts,
  held: HeldRun,
  execute: RunFunction,
  { reason, ...execution }: Execution & { readonly reason: string },
): Promise<void> {
  const learn = async (): Promise<ToolsOfRun> => {
    const tools = new ToolsOfRun()
    const context = await contextOf(held, execution.signal, tools)
    // That it was cancelled is known; a function may say so by an error.
    await execute(context).catch(() => undefined)
    return tools
  }
  const left = await cancelAll(parts, held, learn, execution)
  const uncertain = uncertainCalls(await readJournal(parts, held.run.id), left)
  await held.end({
    status: 'cancelled',
    result: { status: 'cancelled', reason, ...(uncertain.length > 0 && { uncertain }) },
  })
}

/** The time at which a suspended run is due: the first deadline of its pending items. */
function wakeOf(result: Extract<RunResult, { status: 'suspended' }>): number | undefined {
  const times = result.pending.flatMap((item) =>
    item.type === 'approval' ? (item.expiresAt ?? []) : 'until' in item ? (item.until ?? []) : [],
  )
  return times.length > 0 ? Math.min(...times) : undefined
}
