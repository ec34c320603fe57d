import {
  type ChatMessage,
  LlmError,
  mergeOptions,
  type Provider,
  type ReplyDetails,
  type TokenUsage,
  type ToolDefinition,
  toUsage,
  type UserMessage,
  validateOptions,
} from '@modelport/core'
import { type ActionMode, resolveMode } from '../reply/action-mode.js'
import { checkAutoCompaction } from './check-compaction.js'
import { type BudgetDecision, BudgetLedger } from '../budget/budget.js'
import { checkPrices, checkProvider, checkToolNames, checkTools } from '../base/check-request.js'
import { type CompiledParameters, compileParameters } from '../tools/define-tool.js'
import { type StrictSchema, toStrictSchema } from '../output/strict-schema.js'
import { toDelegationTools } from '../reply/delegation.js'
import { type EventQueue, RunEventEmitter } from '../events/run-event-emitter.js'
import { ProgressGuard } from './progress-guard.js'
import { RepeatGuard } from './repeat-guard.js'
import { StreakGuard } from './streak-guard.js'
import { longestTimer } from '../base/longest-timer.js'
import type { ContextManifest } from '../history/manifest.js'
import type { CallMetrics } from './metrics.js'
import { type RunLimits, toLimits } from './run-limits.js'
import { presets, type RunPreset } from '../presets/run-preset.js'
import type { InferRequest } from './run-request.js'
import type { Tool } from '../tools/tool.js'
import { EffectLog } from '../journal/effect-log.js'
import type { RunCheckpoint, RunFingerprint, RunTotals } from '../journal/checkpoint.js'
import type { JournalTail } from '../journal/journal.js'
import type { ResumeDecision } from '../journal/pending-item.js'
import { TranscriptLog } from '../journal/transcript-log.js'
import type { BudgetSnapshot } from '../budget/budget-snapshot.js'
import { fingerprintOf } from './run-fingerprint.js'
import { markOf, type StepMark } from './step-mark.js'
import { checkDecisions, checkFingerprint, spentBy, splitMessages } from './resume.js'
import { Transcript } from '../history/transcript.js'
import { untilAborted } from '../base/until-aborted.js'

/** Everything one run has: what it was asked, and how far it is. */
export class RunState {
  readonly provider: Provider
  readonly request: InferRequest
  readonly preset: RunPreset
  readonly limits: RunLimits
  readonly mode: ActionMode
  readonly runId: string
  ledger: BudgetLedger
  /** True when somebody set a budget: only then is an answer that grows too long cut. */
  readonly isBudgeted: boolean
  readonly events: RunEventEmitter
  readonly signal: AbortSignal
  /** Checks the answer, where it must have a form. */
  readonly output: CompiledParameters | undefined
  /** The schema of the answer as servers can enforce it, if that loses nothing. */
  readonly strictOutput: StrictSchema | undefined
  readonly startedAt: number = performance.now()

  readonly repeats: RepeatGuard
  readonly repeatStreak: StreakGuard
  readonly parseFailures: StreakGuard
  readonly progress: ProgressGuard

  /** The kept history as it was at the start. */
  readonly historyBefore: readonly ChatMessage[]
  transcript: Transcript
  /** What of the transcript is stored. */
  readonly transcriptLog: TranscriptLog = new TranscriptLog()
  /** What is recorded of the step at hand. */
  readonly log: EffectLog
  /** The counters before the model call of the step at hand. */
  mark: StepMark | undefined
  /** True after a model call that failed for good: a resume makes it again. */
  callFailed = false
  fingerprint: RunFingerprint | undefined
  /** What was decided about the pending items of a resumed run. */
  readonly decisions: ReadonlyMap<string, ResumeDecision>
  /** What users said while the run was suspended; it follows the step at hand. */
  followUps: readonly UserMessage[]
  /** True while the step at hand was begun before the resume, so that its model call is next. */
  isInsideStep: boolean
  tools: readonly Tool[] = []
  delegation: readonly Tool[] = []
  step = 0
  /** Requests to the model in this step, retries included. */
  attempt = 0
  usage: TokenUsage = toUsage([])
  details: ReplyDetails = {}
  text = ''
  /** Requests of this step that have a key. */
  requests = 0
  /** True if the conversation was compacted in this step because the server refused it. */
  compacted = false
  /** True once text of the reply at hand was handed out: it cannot be taken back. */
  answerTold = false
  executedActions = 0
  failedActions = 0
  /** Model calls of this process. */
  readonly calls: CallMetrics[] = []
  /** Sums of the processes before. */
  readonly #before: RunTotals | undefined
  manifest: ContextManifest | undefined
  /** Which form of the reply is asked for, in JSON mode; further on when a server refuses one. */
  formatLevel: number
  /** Messages before the first of the replies in a row that were not an action. */
  failuresFrom: number | undefined

  /** @throws {LlmError} `config`, `invalid-request` — what is wrong with the request. */
  constructor(provider: Provider, request: InferRequest, signal: AbortSignal, queue?: EventQueue) {
    checkProvider(provider)
    this.provider = provider
    this.request = request
    this.signal = signal
    this.preset = toPreset(request.preset)
    this.limits = toLimits(this.preset.limits, request.limits)
    this.mode = resolveMode(request.mode, request.capabilities, request.profile)
    validateOptions(mergeOptions(this.preset.options, request.options))
    const { resume } = request
    this.runId = resume?.runId ?? request.runId ?? `run_${crypto.randomUUID()}`
    this.events = new RunEventEmitter(this.runId, {
      observer: request.onEvent?.bind(request),
      queue,
      sink: request.sink,
      signal,
    })
    this.isBudgeted = request.budget !== undefined
    this.ledger = this.#openLedger(resume && spentBy(resume, resume.entries))
    this.output = request.outputSchema && compileParameters(request.outputSchema, 'outputSchema')
    const strict = this.output && toStrictSchema(this.output.schema)
    this.strictOutput = strict && 'schema' in strict ? strict : undefined
    if (Array.isArray(request.tools)) checkToolNames(request.tools as readonly Tool[])
    if (!(request.budget instanceof BudgetLedger)) checkPrices(request.budget, request.profile)
    if (request.compaction) checkAutoCompaction(request.compaction)
    this.historyBefore = request.history?.toList() ?? []
    const split = splitMessages(request, request.messages ?? this.historyBefore)
    this.followUps = split?.followUps ?? []
    this.transcript = new Transcript(split?.stored ?? toMessages(request, this.historyBefore))
    this.transcript.sendable()
    this.formatLevel =
      resume?.formatLevel ??
      (request.capabilities?.schema.supported === false || request.profile?.supportsJsonSchema === false ? 1 : 0)
    const { maxRepeats, maxParseFailures, maxIdleSteps, repeatWindow, repeatableTools } = this.limits
    const guards = resume?.guards
    this.repeats = new RepeatGuard(repeatWindow, repeatableTools, guards?.recentActions)
    this.repeatStreak = new StreakGuard(maxRepeats, guards?.repeats)
    this.parseFailures = new StreakGuard(maxParseFailures, guards?.parseFailures)
    this.progress = new ProgressGuard(maxIdleSteps, guards?.idleSteps, guards?.knownResults)
    this.log = new EffectLog(request.journal, {
      runId: this.runId,
      keyPrefix: request.scope?.keyPrefix ?? this.runId,
      step: () => this.step,
      seq: () => this.events.seq,
      budget: () => this.ledger.snapshot(),
      onLive: () => this.events.goLive(),
      stored: () => this.events.stored(),
    })
    this.#before = resume?.totals
    this.isInsideStep = resume?.phase === 'model'
    this.decisions = checkDecisions(resume?.pending ?? [], request.decisions ?? [])
    if (resume) this.#restore(resume)
    if (this.mode === 'text' && request.agents?.length)
      throw new LlmError('config', 'mode "text" has no word for agents; use "json" or "native"')
  }

  /** Model calls of the run, the processes before this one included. */
  get modelCalls(): number {
    return (this.#before?.modelCalls ?? 0) + this.calls.length
  }

  /** Takes what a journal recorded after the checkpoint. */
  loadTail(resume: RunCheckpoint, { entries, seq = 0 }: JournalTail): void {
    this.log.load(entries)
    this.ledger = this.#openLedger(spentBy(resume, [...resume.entries, ...entries]))
    const known = Math.max(resume.seq, seq, ...entries.map((entry) => entry.seq))
    this.events.resumeAt(this.events.seq, known)
  }

  /** Sums over the run, the processes before this one included. */
  get totals(): RunTotals {
    const { latencyMs = 0, cost: costBefore } = this.#before ?? {}
    const { calls, modelCalls, executedActions, failedActions, startedAt } = this
    let cost = costBefore
    for (const call of calls) if (call.cost) cost = (cost ?? 0) + call.cost.totalCost
    return {
      modelCalls,
      executedActions,
      failedActions,
      latencyMs: latencyMs + performance.now() - startedAt,
      ...(cost !== undefined && { cost }),
    }
  }

  #restore(resume: RunCheckpoint): void {
    checkFingerprint(resume, fingerprintOf(this))
    const { step, usage, text, totals, failuresFrom, requests, attempt, compacted, seq, entries } = resume
    Object.assign(this, { step, usage, text, failuresFrom, requests, attempt, compacted })
    this.executedActions = totals.executedActions
    this.failedActions = totals.failedActions
    this.events.step = step
    // Inside a step the events of what is recorded are counted again, and not handed out.
    this.events.resumeAt(entries.length ? 0 : seq, seq)
    this.log.load(entries)
    this.transcriptLog.advance(this.transcript.messages)
    this.mark = markOf(this, resume.phase)
  }

  /** Asks for the tools as they are now. */
  async refreshTools(): Promise<void> {
    const { tools = [], sources = [], agents = [] } = this.request
    const own = typeof tools === 'function' ? await this.wait(tools(this.step)) : tools
    const sourced = await this.wait(Promise.all(sources.map((source) => source.tools(this.signal))))
    for (const list of [own, ...sourced]) checkTools(list)
    checkToolNames(own)
    this.tools = uniqueTools([...own, ...sourced.flat()])
    this.delegation = toDelegationTools(agents, this.toolDefinitions, this.ledger)
  }

  /** Waits for the application's own code, and no longer than until the run is cancelled or its time is over. */
  async wait<T>(value: T | PromiseLike<T>): Promise<T> {
    const { runtimeMs } = this.ledger.remaining()
    if (runtimeMs === Infinity) return untilAborted(value, this.signal)
    let timer: ReturnType<typeof setTimeout> | undefined
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          try {
            this.ledger.checkTime()
          } catch (error) {
            reject(error)
          }
          // One more: a timer may be early, and the budget must then find the time over.
        },
        Math.min(Math.ceil(runtimeMs) + 1, longestTimer),
      )
    })
    try {
      return await untilAborted(Promise.race([value, over]), this.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Replaces the transcript; some of the messages may be those it had. */
  replaceTranscript(messages: readonly ChatMessage[]): void {
    const firstFailure = this.failuresFrom === undefined ? undefined : this.transcript.messages[this.failuresFrom]
    const place = firstFailure ? messages.indexOf(firstFailure) : -1
    this.failuresFrom = place < 0 ? undefined : place
    this.transcript = new Transcript(messages)
  }

  get toolDefinitions(): readonly ToolDefinition[] {
    return this.tools.map(({ definition }) => definition)
  }

  estimate(text: string): number {
    return this.provider.estimateTokens(text)
  }

  #openLedger(restored: BudgetSnapshot | undefined): BudgetLedger {
    const { budget } = this.request
    const onDecision = (decision: BudgetDecision): void => {
      this.events.emit({ type: 'budget-decision', decision })
    }
    return budget instanceof BudgetLedger
      ? budget.child({}, { onDecision, ...(restored && { restored }) })
      : new BudgetLedger(budget ?? {}, { onDecision, ...(restored && { restored }) })
  }
}

function toPreset(preset: InferRequest['preset'] = {}): RunPreset {
  if (typeof preset !== 'string') return preset
  if (!Object.hasOwn(presets, preset))
    throw new LlmError('config', `preset: unknown "${preset}"; known: ${Object.keys(presets).join(', ')}`)
  return presets[preset]
}

function toMessages(
  { messages, history, query }: InferRequest,
  historyBefore: readonly ChatMessage[],
): readonly ChatMessage[] {
  if (messages && history) throw new LlmError('config', 'give either messages or history, not both')
  const before = messages ?? historyBefore
  const all: readonly ChatMessage[] = query === undefined ? before : [...before, { role: 'user', content: query }]
  if (!all.some(({ role }) => role !== 'system'))
    throw new LlmError('config', 'nothing is asked: give a query, messages or a history')
  return all
}

/** The first of a name wins, so that nothing a source adds can take the place of a tool. */
function uniqueTools(tools: readonly Tool[]): readonly Tool[] {
  const names = new Set<string>()
  return tools.filter(({ definition: { name } }) => !names.has(name) && names.add(name))
}
