import {
  type ChatMessage,
  LlmError,
  mergeOptions,
  type Provider,
  type ReplyDetails,
  type TokenUsage,
  type ToolDefinition,
  toUsage,
  validateOptions,
} from '@modelport/core'
import { type ActionMode, resolveMode } from '../reply/action-mode.js'
import { checkAutoCompaction } from './auto-compaction.js'
import { type BudgetDecision, BudgetLedger } from '../budget/budget.js'
import { checkProvider, checkTools } from '../base/check-request.js'
import { type CompiledParameters, compileParameters } from '../tools/define-tool.js'
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
  readonly ledger: BudgetLedger
  /** True when somebody set a budget: only then is an answer that grows too long cut. */
  readonly isBudgeted: boolean
  readonly events: RunEventEmitter
  readonly signal: AbortSignal
  /** Checks the answer, where it must have a form. */
  readonly output: CompiledParameters | undefined
  readonly startedAt: number = performance.now()

  readonly repeats: RepeatGuard
  readonly repeatStreak: StreakGuard
  readonly parseFailures: StreakGuard
  readonly progress: ProgressGuard

  /** The kept history as it was at the start. */
  readonly historyBefore: readonly ChatMessage[]
  transcript: Transcript
  tools: readonly Tool[] = []
  delegation: readonly Tool[] = []
  step = 0
  /** Requests to the model in this step, retries included. */
  attempt = 0
  usage: TokenUsage = toUsage([])
  details: ReplyDetails = {}
  text = ''
  /** True once text of the reply at hand was handed out: it cannot be taken back. */
  answerTold = false
  executedActions = 0
  failedActions = 0
  readonly calls: CallMetrics[] = []
  manifest: ContextManifest | undefined
  /** Which form of the reply is asked for, in JSON mode; further on when a server refuses one. */
  formatLevel: number
  /** Messages before the first of the replies that were no action, in a row. */
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
    this.runId = request.runId ?? `run_${crypto.randomUUID()}`
    this.events = new RunEventEmitter(this.runId, {
      observer: request.onEvent?.bind(request),
      queue,
      sink: request.sink,
      signal,
    })
    this.isBudgeted = request.budget !== undefined
    this.ledger = this.#openLedger()
    this.output = request.outputSchema && compileParameters(request.outputSchema, 'outputSchema')
    if (request.compaction) checkAutoCompaction(request.compaction)
    this.historyBefore = request.history?.toList() ?? []
    this.transcript = new Transcript(toMessages(request, this.historyBefore))
    this.transcript.sendable()
    this.formatLevel =
      request.capabilities?.schema.supported === false || request.profile?.supportsJsonSchema === false ? 1 : 0
    this.repeats = new RepeatGuard(this.limits.repeatWindow, this.limits.repeatableTools)
    this.repeatStreak = new StreakGuard(this.limits.maxRepeats)
    this.parseFailures = new StreakGuard(this.limits.maxParseFailures)
    this.progress = new ProgressGuard(this.limits.maxIdleSteps)
    if (this.mode === 'text' && request.agents?.length)
      throw new LlmError('config', 'mode "text" has no word for agents; use "json" or "native"')
  }

  /** Asks for the tools as they are now. */
  async refreshTools(): Promise<void> {
    const { tools = [], sources = [], agents = [] } = this.request
    const own = typeof tools === 'function' ? await this.wait(tools(this.step)) : tools
    const sourced = await this.wait(Promise.all(sources.map((source) => source.tools(this.signal))))
    for (const list of [own, ...sourced]) checkTools(list)
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

  /** Goes on with these messages, of which some were there before. */
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

  #openLedger(): BudgetLedger {
    const { budget } = this.request
    const onDecision = (decision: BudgetDecision): void => {
      this.events.emit({ type: 'budget-decision', decision })
    }
    return budget instanceof BudgetLedger
      ? budget.child({}, { onDecision })
      : new BudgetLedger(budget ?? {}, { onDecision })
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
