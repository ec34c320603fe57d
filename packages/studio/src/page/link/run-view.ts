import type { ClientEvent } from '@modelport/agent'
import { asText, type ChatMessage } from '@modelport/core'
import type { ContextManifest, RunEvent } from '@modelport/runtime'
import type { RunRecord, StudioEvent } from '../../protocol/protocol.js'
import { ToldMessages } from '../../protocol/told-messages.js'
import { formatCount, formatMs, pretty } from '../parts/format.js'
import {
  addCachedTokens,
  type PendingView,
  type Segment,
  type Span,
  type StepMark,
  type TextView,
  type ToolView,
} from './run-parts.js'

/** What each type of event changes; `at` is in milliseconds since the start. */
type Handlers<Event extends { readonly type: string }> = {
  readonly [Type in Event['type']]?: (event: Extract<Event, { type: Type }>, at: number) => void
}

function handle<Event extends { readonly type: string }>(
  handlers: Handlers<Event>,
  event: Event,
  at: number,
): void {
  const handler = handlers[event.type as Event['type']] as
    | ((event: Event, at: number) => void)
    | undefined
  handler?.(event, at)
}

type CallStart = Extract<RunEvent, { type: 'tool-start' | 'agent-call-start' }>
type CallEnd = Extract<
  RunEvent,
  { type: 'tool-result' | 'agent-call-result' | 'tool-error' | 'agent-call-error' }
>

/** A wait as the page shows it. The event is that of a program: its fields may be anything. */
function toPending(item: unknown, index: number): PendingView {
  const { type, id, action } = (item ?? {}) as Readonly<Record<string, unknown>>
  const { tool, agent } = (action ?? {}) as Readonly<Record<string, unknown>>
  return { id: asText(id) || `${index}`, type: asText(type), name: asText(tool ?? agent ?? id) }
}

type NewSpan = Pick<Span, 'kind' | 'name' | 'step' | 'callId' | 'changes'>
type Block = ContextManifest['blocks'][number]

/** Why a cache had less of a prompt, in words. */
function toCause({
  cause,
  block,
  option,
  cacheReadTokens,
  cachedTokens,
}: Extract<RunEvent, { type: 'cache-break' }>): string {
  const what = {
    tools: 'the tools changed',
    system: 'the system prompt changed',
    history: 'an earlier message changed',
    model: 'another model was asked',
    option: `the option ${option ?? ''} changed`,
    time: 'nothing changed, so its time had run out, or the vendor dropped it',
  }[cause]
  const part = block?.name === undefined ? '' : ` (${block.name})`
  return `The vendor's cache had ${formatCount(cacheReadTokens)} of ${formatCount(cachedTokens)} tokens: ${what}${part}.`
}

/** A run as the page draws it, folded from its events. */
export class RunView {
  readonly segments: Segment[] = []
  readonly spans: Span[] = []
  /** Where the model calls begin; the first attempt of each. */
  readonly steps: StepMark[] = []
  /** The run when it has ended. */
  ended: RunRecord | undefined
  /** True when the run was cut off and continued. */
  isContinued = false
  /**
   * True when the conversation was shortened during the run, so that its transcript is not what
   * each step had.
   */
  isShortened = false
  /** Number of the last event. */
  seq = 0
  /** What it waits for when it is suspended. */
  pending: readonly PendingView[] = []
  readonly #told = new ToldMessages()
  /** The parts of the prompt before. */
  #blocks: readonly Block[] = []
  /** Milliseconds since 1970; later after each time in which no studio ran this run. */
  #startedAt: number
  #latestAt: number
  readonly #open = new Map<string, Span>()
  readonly #tools = new Map<string, ToolView>()
  /** Where the segments of the current model call begin. */
  #replyFrom = 0
  /** The reply of a remote agent, which may begin anew. */
  #reply: TextView | undefined

  constructor(startedAt: number) {
    this.#startedAt = startedAt
    this.#latestAt = startedAt
  }

  /** What the run has said so far, as messages. */
  get told(): readonly ChatMessage[] {
    return this.#told.latest
  }

  /** Names of the calls that wait for a person. */
  get asking(): readonly string[] {
    return this.segments.flatMap((one) =>
      one.kind === 'tool' && one.state === 'asking' ? [one.name] : [],
    )
  }

  /** Milliseconds since the start, without the time in which no studio ran this run. */
  get elapsed(): number {
    return Date.now() - this.#startedAt
  }

  /** Adds events; skips those that were added before. */
  add(events: readonly StudioEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.seq) continue
      this.seq = event.seq
      this.#one(event)
    }
  }

  #one(one: StudioEvent): void {
    if (one.type === 'continued') this.#startedAt += one.at - this.#latestAt
    this.#latestAt = one.at
    handle(this.#ofStudio, one, one.at - this.#startedAt)
  }

  readonly #ofStudio: Handlers<StudioEvent> = {
    run: ({ event }, at) => {
      this.#told.add(event)
      handle(this.#ofRun, event, at)
    },
    agent: ({ event }, at) => this.#agent(event, at),
    wait: ({ callId, tool: name, args, uncertain, question, reason }, at) => {
      const tool = this.#tool(callId, name)
      tool.args = pretty(args)
      tool.state = 'asking'
      tool.isUncertain = uncertain === true
      tool.reason = reason
      tool.question = question
      const wait = question ? 'answer to' : uncertain ? 'outcome of' : 'approval of'
      this.#begin(`wait ${callId}`, { kind: 'wait', name: `${wait} ${name}`, step: 0, callId }, at)
    },
    decision: ({ callId, approved, outcome, reason }, at) => {
      const tool = this.#tool(callId, '')
      tool.state = approved || tool.question ? 'running' : tool.isUncertain ? 'repeated' : 'denied'
      if (tool.state !== 'running') tool.result = reason ?? outcome ?? 'denied'
      const refused = tool.question ? 'declined' : 'not allowed'
      const isSettled = approved || tool.isUncertain === true
      this.#end(`wait ${callId}`, at, isSettled, isSettled ? undefined : refused)
    },
    end: ({ run }, at) => {
      this.ended = run
      addCachedTokens(this.spans, run)
      this.#endAgent(run, at)
      this.#cutOff(at, run.status === 'cancelled' && !run.error ? 'stopped' : 'cut off')
      for (const part of this.segments)
        if (part.kind === 'tool' && ['writing', 'asking', 'running'].includes(part.state))
          part.state = 'unfinished'
    },
    note: ({ text }) => this.#note(text),
    request: ({ request }) => {
      const span = this.spans.findLast(({ kind }) => kind === 'model')
      if (span) span.sentRequest = request
    },
    continued: (_, at) => this.#continue(at),
  }

  /**
   * Ends what was under way when the studio ended. A reply that was cut off is asked for again, so
   * its part goes.
   */
  #continue(at: number): void {
    this.ended = undefined
    this.isContinued = true
    const cut = [...this.#open.values()].some(({ kind }) => kind === 'model')
    this.#cutOff(at, 'cut off')
    if (cut) for (const { id } of this.segments.splice(this.#replyFrom)) this.#tools.delete(id)
    this.#reply = undefined
    this.#note(
      cut
        ? 'The studio ended during a reply. The run continues here, and the model is asked again.'
        : 'The studio ended here. The run continues from what it had recorded.',
    )
  }

  #cutOff(to: number, detail: string): void {
    const state = detail === 'stopped' ? 'stopped' : 'failed'
    for (const span of this.#open.values())
      Object.assign(span, { to, state, detail: state === 'failed' ? detail : '' })
    this.#open.clear()
  }

  /** A remote agent shows its reply and its progress; its steps stay in its own process. */
  #agent(event: ClientEvent, at: number): void {
    if (!this.#open.has('model 1'))
      this.#begin('model 1', { kind: 'agent', name: 'agent', step: 1 }, 0)
    handle(this.#ofAgent, event, at)
  }

  readonly #ofAgent: Handlers<ClientEvent> = {
    'text-delta': ({ text, first }, at) => {
      this.#firstToken(1, at)
      if (first && this.#reply) this.#reply.text = text
      else this.#reply = this.#text('text', text, 1)
    },
    progress: ({ message }) => {
      if (message !== undefined) this.#note(message)
    },
    artifact: ({ artifact: { id, kind } }) => {
      if (kind !== 'answer') this.#note(`The agent made an artifact: ${id}`)
    },
  }

  #endAgent({ status, task }: RunRecord, at: number): void {
    if (!task) return
    const ok = status === 'final' || status === 'suspended'
    if (status !== 'cancelled') this.#end('model 1', at, ok)
    if (status === 'suspended') this.#note('The agent waits for your next message.')
    // An approved call runs at the agent, which does not report its result.
    for (const one of this.segments)
      if (one.kind === 'tool' && one.state === 'running') one.state = ok ? 'done' : 'failed'
  }

  /**
   * A call of a tool or an agent that is never started has its name and arguments from
   * `action-requested`.
   */
  readonly #ofRun: Handlers<RunEvent> = {
    'model-call-start': ({ step, provider, model, manifest }, at) => {
      // Servers are started, and a model in this process is loaded, before the first call.
      if (this.spans.length === 0)
        this.spans.push({
          id: 'start',
          kind: 'start',
          name: 'start',
          step: 0,
          from: 0,
          to: at,
          state: 'ok',
        })
      this.#replyFrom = this.segments.length
      if (this.steps.at(-1)?.step !== step) this.steps.push({ step, place: this.#replyFrom })
      const changes = this.#changesOf(manifest)
      const name = `${provider} ${model}`
      this.#begin(`model ${step}`, { kind: 'model', name, step, changes }, at)
    },
    'text-delta': ({ text, step }, at) => {
      this.#text('text', text, step)
      this.#firstToken(step, at)
    },
    'reasoning-delta': ({ text, step }, at) => {
      this.#text('reasoning', text, step)
      this.#firstToken(step, at)
    },
    'model-call-end': ({ step, metrics: { usage, cost }, budget, native, text }, at) => {
      const isShown = this.segments.slice(this.#replyFrom).some(({ kind }) => kind === 'text')
      if (native && text && !isShown) this.#text('text', text, step)
      const span = this.#end(`model ${step}`, at, true)
      if (!span) return
      span.spent = budget
      span.inputTokens = usage.inputTokens
      span.outputTokens = usage.outputTokens
      span.isEstimated = usage.estimated
      if (typeof usage.cacheReadTokens === 'number') span.cachedTokens = usage.cacheReadTokens
      if (cost)
        Object.assign(span, {
          cost: cost.totalCost,
          currency: cost.currency,
          costBound: cost.bound,
        })
    },
    'cache-break': (event) => {
      const span = this.spans.findLast(({ kind, step }) => kind === 'model' && step === event.step)
      if (span) span.cacheBreak = toCause(event)
    },
    'model-error': ({ step, message, code }, at) => {
      const span = this.#end(`model ${step}`, at, false, message)
      if (span && ['aborted', 'cancelled'].includes(code)) span.state = 'stopped'
    },
    'run-suspended': ({ pending }) => {
      this.pending = Array.isArray(pending) ? pending.map(toPending) : []
    },
    'model-retry': (event, at) => this.#retry(event, at),
    'budget-decision': ({ decision: { limit, effect, observed, maximum } }) => {
      const what = `${limit}: ${observed} of ${maximum}`
      this.#note(
        effect === 'warn'
          ? `The budget is nearly spent. ${what}.`
          : `The budget is spent. ${what}.`,
      )
    },
    'reply-rejected': ({ message }) => this.#note(`The reply could not be read: ${message}`),
    'tool-call-delta': ({ callId, text }) => {
      const tool = this.#tool(callId, '')
      if (tool.state === 'writing') tool.args += text
    },
    'mode-changed': ({ reason }) =>
      this.#note(
        `The server refused tools, so the model is asked for its calls as JSON: ${reason}`,
      ),
    'context-compacted': () => {
      this.isShortened = true
      this.#note('The conversation was shortened to fit the context window.')
    },
    'action-requested': ({ actionId, action }) => {
      const tool = this.#tool(actionId, action.type === 'tool_call' ? action.tool : action.agent)
      if ('args' in action) tool.args = pretty(action.args)
    },
    'action-repeated': ({ actionId }) => {
      this.#tool(actionId, '').state = 'repeated'
    },
    'tool-start': (event, at) => this.#start(event, { kind: 'tool', name: event.tool }, at),
    'tool-progress': ({ actionId, tool, progress }) => {
      this.#tool(actionId, tool).result = pretty(progress)
    },
    'agent-call-start': (event, at) => this.#start(event, { kind: 'agent', name: event.agent }, at),
    'tool-result': (event, at) => this.#settle(event, pretty(event.result), at),
    'agent-call-result': (event, at) => this.#settle(event, pretty(event.result), at),
    'tool-error': (event, at) => this.#settle(event, event.message, at),
    'agent-call-error': (event, at) => this.#settle(event, event.message, at),
  }

  /** What differs from the prompt before, besides what was added at its end. */
  #changesOf(manifest: ContextManifest | undefined): readonly string[] {
    const before = this.#blocks
    this.#blocks = manifest?.blocks ?? []
    if (before.length === 0 || this.#blocks.length === 0) return []
    const names = (of: readonly Block[]): readonly string[] =>
      of.flatMap(({ kind, name }) => (kind === 'tool' ? (name ?? []) : []))
    const old = names(before)
    const now = names(this.#blocks)
    const added = now.filter((name) => !old.includes(name)).map((name) => `tool ${name} is new`)
    const removed = old.filter((name) => !now.includes(name)).map((name) => `tool ${name} is gone`)
    const changed = this.#blocks.find(({ cached }, index) => !cached && index < before.length)
    const first = changed && [changed.kind, changed.name].filter(Boolean).join(' ')
    return [...added, ...removed, ...(first ? [`${first} is the first part that differs`] : [])]
  }

  #start(event: CallStart, { kind, name }: Pick<Span, 'kind' | 'name'>, at: number): void {
    const tool = this.#tool(event.actionId, name)
    if ('args' in event) tool.args = pretty(event.args)
    tool.state = 'running'
    this.#begin(
      `tool ${event.actionId}`,
      { kind, name, step: event.step, callId: event.actionId },
      at,
    )
  }

  #retry(
    { message, retryInSeconds, nextAttempt, step }: Extract<RunEvent, { type: 'model-retry' }>,
    at: number,
  ): void {
    this.#note(`${message}. Trying again in ${formatMs(retryInSeconds * 1000)}.`)
    const span = {
      id: `retry ${this.spans.length}`,
      kind: 'retry',
      state: 'ok',
      detail: message,
    } as const
    this.spans.push({
      ...span,
      name: `wait before attempt ${nextAttempt}`,
      step,
      from: at,
      to: at + retryInSeconds * 1000,
    })
  }

  #text(kind: TextView['kind'], text: string, step: number): TextView {
    // Texts of two model calls are two parts.
    const last = this.segments.length > this.#replyFrom ? this.segments.at(-1) : undefined
    if (last?.kind === kind) {
      last.text += text
      return last
    }
    const added: TextView = { kind, id: `${step}-${this.segments.length}`, text }
    this.segments.push(added)
    return added
  }

  #note(text: string): void {
    this.segments.push({ kind: 'note', id: `note-${this.segments.length}`, text })
  }

  #tool(id: string, name: string): ToolView {
    const found = this.#tools.get(id)
    if (found) {
      if (name) found.name = name
      return found
    }
    const tool: ToolView = { kind: 'tool', id, name, args: '', state: 'writing' }
    this.#tools.set(id, tool)
    this.segments.push(tool)
    return tool
  }

  #settle(event: CallEnd, result: string, at: number): void {
    const failure = 'message' in event ? event.message : undefined
    const tool = this.#tool(event.actionId, 'tool' in event ? event.tool : event.agent)
    if (tool.state !== 'denied' && tool.state !== 'repeated')
      tool.state = failure === undefined ? 'done' : 'failed'
    Object.assign(tool, { result, latencyMs: event.latencyMs })
    this.#end(`tool ${event.actionId}`, at, failure === undefined, failure)
  }

  #begin(id: string, what: NewSpan, from: number): void {
    const span: Span = { ...what, id: `${id} ${this.spans.length}`, from, state: 'running' }
    this.#open.set(id, span)
    this.spans.push(span)
  }

  #firstToken(step: number, at: number): void {
    const span = this.#open.get(`model ${step}`)
    if (span) span.firstTokenAt ??= at
  }

  #end(id: string, to: number, ok: boolean, detail?: string): Span | undefined {
    const span = this.#open.get(id)
    if (!span) return undefined
    this.#open.delete(id)
    Object.assign(span, {
      to,
      state: ok ? 'ok' : 'failed',
      ...(detail !== undefined && { detail }),
    })
    return span
  }
}
