import { isObject, textOf } from '@modelport/core'
import {
  type Engine,
  type EngineWait,
  type FinishedCall,
  infer,
  OutcomeUnknown,
  PendingResult,
  type Performed,
  type ResumeDecision,
  RunError,
  type Tool,
} from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import type { JsonValue } from '../base/json.js'
import type { TaskEvent } from '../models/task-event.js'
import type { TaskContext } from './agent.js'
import { noModel } from './no-model.js'
import type { Turn } from './turn.js'
import { toRequests, toResumeDecisions, type WaitingRequest } from './wait-state.js'

type EffectEvent = Extract<TaskEvent, { type: 'effect' }>
type Work = Parameters<TaskContext['effect']>[1]
type Options = NonNullable<Parameters<TaskContext['effect']>[2]>

/** Name of the call that an effect is. */
const callName = 'effect'

/** Maximum characters of a result, as JSON: a run cuts off what is longer. */
const longestResult = 3_900_000

/**
 * The effects of a handler. Each is a run with one given call, and goes through the same door as a
 * call of a model: what is done about a lost reply or a death is decided there. The events of the
 * task are the engine of these runs.
 */
export class HandlerEffects {
  readonly #turn: Turn
  readonly #runId: string
  readonly #open = new Set<Promise<unknown>>()
  readonly #requests: WaitingRequest[] = []
  /** What earlier runs of the handler began and recorded. */
  readonly #stored: readonly EffectEvent[]
  readonly #numbers = new Map<string, number>()

  constructor(turn: Turn, runId: string, stored: readonly TaskEvent[]) {
    this.#turn = turn
    this.#runId = runId
    this.#stored = stored.filter((event) => event.type === 'effect')
  }

  /** True once a person has to say something: the handler runs again then. */
  get isWaiting(): boolean {
    return this.#requests.length > 0
  }

  /** What a person has to say something about; then no effect is under way any more. */
  async requests(): Promise<readonly WaitingRequest[]> {
    while (this.#requests.length && this.#open.size) await Promise.allSettled([...this.#open])
    return this.#requests
  }

  /** See {@link TaskContext.effect}. */
  make(name: string, work: Work, options: Options = {}): Promise<JsonValue | undefined> {
    const made = this.#make(name, work, options)
    const done = made
      .catch(() => undefined)
      .then(() => {
        this.#open.delete(done)
      })
    this.#open.add(done)
    return made
  }

  async #make(name: string, work: Work, options: Options): Promise<JsonValue | undefined> {
    const { signal } = this.#turn
    const number = (this.#numbers.get(name) ?? 0) + 1
    this.#numbers.set(name, number)

    const runId = `${this.#runId}/effect/${name}/${number}`
    let failure: Error | undefined
    const tool = toTool(name, work, options, signal, (error) => {
      failure = error instanceof Error ? error : new Error(String(error))
    })
    let finished: FinishedCall | undefined
    const result = await infer(noModel, {
      calls: [{ name: callName, arguments: { name, number } }],
      tools: [tool],
      stopWhen: () => true,
      afterTools: ([only]) => {
        finished = only
        return undefined
      },
      limits: { toolTimeoutMs: Infinity },
      durable: {
        runId,
        engine: this.#engine(name, number, runId, options.once === true),
        scope: { webhook: (call) => this.#turn.webhook(runId, call) },
      },
      signal,
    })
    if (result.status === 'cancelled') throw result.reason
    if (result.status === 'suspended') throw unknownOutcome(name)
    if (!finished) throw new RunError(result)
    return resultOf(name, finished, failure)
  }

  /**
   * Begins an effect and records what came of it, in the events of the task.
   * @param asksPerson true if the task waits for a person when nobody knows the outcome; for the
   * result of work that continues elsewhere it always waits
   */
  #engine(name: string, number: number, runId: string, asksPerson: boolean): Engine {
    const { write } = this.#turn
    const stored = this.#stored.filter((one) => one.name === name && one.number === number)
    return {
      perform: async (effect) => {
        const { key } = effect
        const own = stored.filter((one) => one.key === key)
        const known = own.find(({ performed }) => performed)?.performed
        if (known) return known

        if (!own.length) await write({ type: 'effect', name, number, key })
        const performed = await effect.execute({ first: !own.length })
        // Without a receipt nobody knows what came of it: the next run asks the receiver again.
        if (hasReceipt(performed))
          await write({ type: 'effect', name, number, key, performed: toPlain(performed) })
        return performed
      },
      wait: async ({ key, pending }: EngineWait) => {
        const isLate = pending.every(({ type }) => type === 'wait')
        if (!isLate && !asksPerson) throw unknownOutcome(name)
        const known = stored.find((one) => one.key === key)?.decided
        if (known) return known

        const asked = toRequests(pending, this.#turn.run.principal, runId)
        const decided = toResumeDecisions(asked, this.#turn.decisions).map(inField)
        if (decided.length) await write({ type: 'effect', name, number, key, decided })
        else this.#requests.push(...asked)
        if (decided.length) return decided
        throw new OutcomeUnknown(
          isLate
            ? `the work of "${name}" continues elsewhere: the task waits for its result`
            : `a person says whether "${name}" happened: the task waits`,
        )
      },
    }
  }
}

/** An effect as a tool. Its result is in a field: `undefined` and texts stay what they are. */
function toTool(
  name: string,
  work: Work,
  { idempotent = false, once = false, reconcile }: Options,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Tool {
  return {
    definition: { name: callName, description: name },
    ...(idempotent && { idempotent }),
    ...(once && { once }),
    ...(reconcile && {
      reconcile: async (_, { run: { idempotencyKey } }) => {
        const found = await reconcile({ idempotencyKey })
        if (found.outcome !== 'executed') return found
        return { outcome: found.outcome, result: { result: found.result } }
      },
    }),
    validate: (value) => ({ ok: true, value }),
    execute: async (_, { run: { idempotencyKey, webhook = noWebhook } }) => {
      try {
        const result = await work({ idempotencyKey, signal, webhook })
        if (result instanceof PendingResult) return checkedPending(name, result)
        return result === undefined ? {} : { result: checked(name, result) }
      } catch (error) {
        onError(error)
        throw error
      }
    },
  }
}

/** What a person says of the result, as the tool gives it. */
const inField = (decision: ResumeDecision): ResumeDecision =>
  decision.type === 'result' ? { ...decision, result: { result: decision.result } } : decision

/** Nobody looks at the work of a handler by itself: its result is delivered. */
function checkedPending(name: string, result: PendingResult): PendingResult {
  if (result.until === undefined) return result
  throw new AgentError(
    'unsupported-operation',
    `The effect "${name}" returned pending() with "until", which only a tool has: return pending(id), and let the result be delivered`,
  )
}

const noWebhook = (): Promise<never> =>
  Promise.reject(new AgentError('internal', 'the effect belongs to no task'))

function checked(name: string, result: JsonValue): JsonValue {
  const text = JSON.stringify(result)
  if (text.length > longestResult)
    throw new AgentError(
      'too-large',
      `The result of the effect "${name}" has ${text.length} characters, and at most ${longestResult} are recorded: keep it elsewhere, and return where it is`,
    )
  return JSON.parse(text) as JsonValue
}

function resultOf(
  name: string,
  { isError, outcome, content }: FinishedCall,
  failure: Error | undefined,
): JsonValue | undefined {
  // The same error in each run of the handler, which may decide by it.
  if (outcome?.uncertain)
    throw new OutcomeUnknown(outcome.message ?? `whether "${name}" happened is not known`, {
      cause: failure,
    })
  if (isError || outcome?.status !== 'ok')
    throw failure ?? new Error(outcome?.message ?? textOf(content))
  const { value } = outcome
  return isObject(value) ? (value['result'] as JsonValue | undefined) : undefined
}

const unknownOutcome = (name: string): OutcomeUnknown =>
  new OutcomeUnknown(
    `whether "${name}" happened is not known: its process ended before its outcome was stored`,
  )

const hasReceipt = ({ entries }: Performed): boolean =>
  entries.some(({ entry }) => entry === 'receipt')

const toPlain = (performed: Performed): Performed =>
  JSON.parse(JSON.stringify(performed)) as Performed
