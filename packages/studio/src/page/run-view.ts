import type { ClientEvent } from '@modelport/agent'
import type { RunEvent } from '@modelport/runtime'
import type { RunRecord, StudioEvent } from '../protocol/protocol.js'
import { formatMs, pretty } from './format.js'
import { addCachedTokens, type Segment, type Span, type TextView, type ToolView } from './run-parts.js'

type CallEnd = Extract<RunEvent, { type: 'tool-result' | 'agent-call-result' | 'tool-error' | 'agent-call-error' }>

/** A run as the page draws it, folded from its events. */
export class RunView {
  readonly segments: Segment[] = []
  readonly spans: Span[] = []
  /** The run when it has ended. */
  ended: RunRecord | undefined
  /** True when the run was cut off and continued. */
  isContinued = false
  /** Number of the last event. */
  seq = 0
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
    const at = one.at - this.#startedAt
    switch (one.type) {
      case 'run':
        this.#event(one.event, at)
        break
      case 'agent':
        this.#agent(one.event, at)
        break
      case 'approval': {
        const tool = this.#tool(one.callId, one.tool)
        tool.args = pretty(one.args)
        tool.state = 'asking'
        tool.isUncertain = one.uncertain === true
        this.#begin(`wait ${one.callId}`, { kind: 'wait', name: `approval of ${one.tool}`, step: 0 }, at)
        break
      }
      case 'decision': {
        const tool = this.#tool(one.callId, '')
        tool.state = one.approved ? 'running' : tool.isUncertain ? 'repeated' : 'denied'
        if (!one.approved) tool.result = one.reason ?? (tool.isUncertain ? 'unknown' : 'denied')
        this.#end(`wait ${one.callId}`, at, one.approved, one.approved ? undefined : 'not allowed')
        break
      }
      case 'end':
        this.ended = one.run
        addCachedTokens(this.spans, one.run)
        this.#endAgent(one.run, at)
        this.#cutOff(at, one.run.status === 'cancelled' && !one.run.error ? 'stopped' : 'cut off')
        for (const part of this.segments)
          if (part.kind === 'tool' && ['writing', 'asking', 'running'].includes(part.state)) part.state = 'unfinished'
        break
      case 'continued':
        this.#continue(at)
        break
    }
  }

  /** Ends what was under way when the studio ended. A reply that was cut off is asked for again, so its part goes. */
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
    for (const span of this.#open.values()) Object.assign(span, { to, state, detail: state === 'failed' ? detail : '' })
    this.#open.clear()
  }

  /** A remote agent shows its reply and its progress; its steps stay in its own process. */
  #agent(event: ClientEvent, at: number): void {
    if (!this.#open.has('model 1')) this.#begin('model 1', { kind: 'agent', name: 'remote agent', step: 1 }, at)
    switch (event.type) {
      case 'text-delta':
        this.#firstToken(1, at)
        if (event.first && this.#reply) this.#reply.text = event.text
        else this.#reply = this.#text('text', event.text, 1)
        break
      case 'progress':
        if (event.message !== undefined) this.#note(event.message)
        break
      case 'artifact':
        if (event.artifact.kind !== 'answer') this.#note(`The agent made an artifact: ${event.artifact.id}`)
        break
      case 'status':
      case 'task':
    }
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

  #event(event: RunEvent, at: number): void {
    switch (event.type) {
      case 'model-call-start':
        this.#replyFrom = this.segments.length
        this.#begin(
          `model ${event.step}`,
          { kind: 'model', name: `${event.provider} ${event.model}`, step: event.step },
          at,
        )
        break
      case 'text-delta':
      case 'reasoning-delta':
        this.#text(event.type === 'reasoning-delta' ? 'reasoning' : 'text', event.text, event.step)
        this.#firstToken(event.step, at)
        break
      case 'model-call-end': {
        const { usage, cost } = event.metrics
        const span = this.#end(`model ${event.step}`, at, true)
        if (!span) break
        span.spent = event.budget
        span.inputTokens = usage.inputTokens
        span.outputTokens = usage.outputTokens
        span.isEstimated = usage.estimated
        if (cost) Object.assign(span, { cost: cost.totalCost, currency: cost.currency })
        break
      }
      default:
        this.#rest(event, at)
    }
  }

  #rest(event: RunEvent, at: number): void {
    switch (event.type) {
      case 'model-error':
        this.#end(`model ${event.step}`, at, false, event.message)
        break
      case 'model-retry':
        this.#retry(event, at)
        break
      case 'budget-decision': {
        const { limit, effect, observed, maximum } = event.decision
        const what = `${limit}: ${observed} of ${maximum}`
        this.#note(effect === 'warn' ? `The budget is nearly spent. ${what}.` : `The budget is spent. ${what}.`)
        break
      }
      case 'reply-rejected':
        this.#note(`The reply could not be read: ${event.message}`)
        break
      case 'tool-call-delta': {
        const tool = this.#tool(event.callId, '')
        if (tool.state === 'writing') tool.args += event.text
        break
      }
      case 'mode-changed':
        this.#note(`The server refused tools, so the model is asked for its calls as JSON: ${event.reason}`)
        break
      case 'context-compacted':
        this.#note('The conversation was shortened to fit the context window.')
        break
      default:
        this.#call(event, at)
    }
  }

  /** Calls of tools and agents. A call that is never started has its name and arguments from `action-requested`. */
  #call(event: RunEvent, at: number): void {
    switch (event.type) {
      case 'action-requested': {
        const { action } = event
        const tool = this.#tool(event.actionId, action.type === 'tool_call' ? action.tool : action.agent)
        if ('args' in action) tool.args = pretty(action.args)
        break
      }
      case 'action-repeated':
        this.#tool(event.actionId, '').state = 'repeated'
        break
      case 'tool-start':
      case 'agent-call-start': {
        const [kind, name] =
          event.type === 'tool-start' ? ['tool' as const, event.tool] : ['agent' as const, event.agent]
        const tool = this.#tool(event.actionId, name)
        if ('args' in event) tool.args = pretty(event.args)
        tool.state = 'running'
        this.#begin(`tool ${event.actionId}`, { kind, name, step: event.step }, at)
        break
      }
      case 'tool-progress':
        this.#tool(event.actionId, event.tool).result = pretty(event.progress)
        break
      case 'tool-result':
      case 'agent-call-result':
        this.#settle(event, 'done', pretty(event.result))
        this.#end(`tool ${event.actionId}`, at, true)
        break
      case 'tool-error':
      case 'agent-call-error':
        this.#settle(event, 'failed', event.message)
        this.#end(`tool ${event.actionId}`, at, false, event.message)
        break
      default:
    }
  }

  #retry({ message, retryInSeconds, nextAttempt, step }: Extract<RunEvent, { type: 'model-retry' }>, at: number): void {
    this.#note(`${message}. Trying again in ${formatMs(retryInSeconds * 1000)}.`)
    const span = { id: `retry ${this.spans.length}`, kind: 'retry', state: 'ok', detail: message } as const
    this.spans.push({
      ...span,
      name: `wait before attempt ${nextAttempt}`,
      step,
      from: at,
      to: at + retryInSeconds * 1000,
    })
  }

  #text(kind: TextView['kind'], text: string, step: number): TextView {
    const last = this.segments.at(-1)
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

  #settle(event: CallEnd, state: ToolView['state'], result: string): void {
    const tool = this.#tool(event.actionId, 'tool' in event ? event.tool : event.agent)
    if (tool.state !== 'denied' && tool.state !== 'repeated') tool.state = state
    Object.assign(tool, { result, latencyMs: event.latencyMs })
  }

  #begin(id: string, { kind, name, step }: Pick<Span, 'kind' | 'name' | 'step'>, from: number): void {
    const span: Span = { id: `${id} ${this.spans.length}`, kind, name, step, from, state: 'running' }
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
    Object.assign(span, { to, state: ok ? 'ok' : 'failed', ...(detail !== undefined && { detail }) })
    return span
  }
}
