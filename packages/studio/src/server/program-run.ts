import { asText } from '@modelport/core'
import { type OwnSpending, sumOfCalls } from '../protocol/own-calls.js'
import type { RunRecord } from '../protocol/protocol.js'
import { beforeRequests, type WholeRequest, wholeRequest } from '../protocol/sent-request.js'
import { ToldMessages } from '../protocol/told-messages.js'
import { callSpending, readSpending } from './call-spending.js'
import { CallStory } from './call-story.js'
import {
  fieldsOf,
  listOf,
  type ProgramLine,
  readMessages,
  readSentRequest,
  readUsage,
  toRunEvent,
} from './ingest-forms.js'
import { titleOf } from './live-run.js'
import type { ExecuteRun, RunEnd, RunPort } from './run-port.js'

const ends = ['limit', 'budget', 'suspended', 'cancelled', 'failed', 'final'] as const

/** The record of a run that begins in a program. */
function toRecord({ s, k, at, p, v }: ProgramLine, program: string): RunRecord {
  const name = asText(v['name'])
  const asked = listOf(fieldsOf(v['message'])['parts']).map((part) =>
    asText(fieldsOf(part)['content']),
  )
  const messages = readMessages(
    k === 'task' ? [{ role: 'user', content: asked.join('\n') }] : v['messages'],
  )
  const title = [name, k !== 'durable' && titleOf(messages)].filter(Boolean).join(': ')
  const model =
    v['model'] === undefined ? `${k} ${name}` : `${asText(v['provider'])}:${asText(v['model'])}`
  const system = asText(v['system'] ?? fieldsOf(v['options'])['system'])
  return {
    ...(system && { settings: { model, options: { system } } }),
    id: `run-${s}`,
    at,
    model,
    title,
    status: 'running',
    messages,
    program,
    ...(p !== undefined && { parent: `run-${p}` }),
    ...(k === 'task' && {
      task: { taskId: asText(v['taskId']), sessionId: asText(v['sessionId']), isWaiting: false },
    }),
  }
}

/** A wait in words. The line is that of a program: its fields may be anything. */
function waitOf(item: unknown): string {
  const { type, id, action } = fieldsOf(item)
  const { tool, agent } = fieldsOf(action)
  const name = asText(tool ?? agent ?? id)
  if (type === 'uncertain')
    return `somebody to say what became of ${name}, whose outcome is unknown`
  if (type === 'question') return `the answer to ${name}`
  return type === 'approval' ? `the approval of ${name}` : `work of ${name} elsewhere`
}

/** A run that happens in another program: it is shown, and cannot be stopped from here. */
export class ProgramRun {
  readonly record: RunRecord
  /** When the last thing happened, by the clock of the program. */
  now: number
  readonly #line: ProgramLine
  /** What was said so far, also to a studio before this one. */
  readonly told: ToldMessages = new ToldMessages()
  #story: CallStory | undefined
  readonly #end = Promise.withResolvers<RunEnd>()
  /** Unset before the run is shown, and after its end. */
  #port: RunPort | undefined
  /** What the run waits for, in words. */
  #waiting: readonly string[] = []
  /** The blocks of the last prompt. */
  #blocks: readonly unknown[] = []
  /** The last request, or what the first continues; unset if it was lost. */
  #request: WholeRequest | undefined

  constructor(line: ProgramLine, program: string) {
    this.record = toRecord(line, program)
    const { messages } = this.record
    // If some could not be read, places among them mean nothing.
    if (listOf(line.v['messages']).length === messages.length)
      this.#request = beforeRequests(messages)
    this.now = line.at
    this.#line = line
  }

  /** Begins to show the run. */
  readonly execute: ExecuteRun = (_, port) => {
    this.#port = port
    port.signal.addEventListener(
      'abort',
      () => this.interrupt('The studio ended during this run.'),
      { once: true },
    )
    const { k, v } = this.#line
    if (k === 'call')
      this.#story = new CallStory(v, {
        event: (event) => this.#tell(port, event),
        request: (sent) => this.#tellRequest(port, sent),
      })
    return this.#end.promise
  }

  /** Takes a line after the first. An event that the page could not show is left out. */
  take(line: ProgramLine): void {
    const port = this.#port
    if (!port) return
    const { t, at, n, v } = line
    this.now = Math.max(this.now, at)
    if (t === 'dropped') {
      this.#blocks = []
      this.#request = undefined
      port.note(`${n} events are missing here: they came faster than they were sent.`)
    } else if (t === 'end' || t === 'error') this.#finish(this.#toEnd(line, port))
    else if (t === 'event') this.#event(v, port)
  }

  /** Ends the run because the program, or the studio, has ended. */
  interrupt(message: string): void {
    this.now = Math.max(this.now, Date.now())
    const { calls, all } = this.told
    const transcript = all.length > 0 ? { transcript: [...this.record.messages, ...all] } : {}
    const error = { code: 'interrupted', message }
    this.#finish({
      status: 'cancelled',
      error,
      ...transcript,
      ...sumOfCalls(calls),
    })
  }

  #finish(end: RunEnd): void {
    this.#port = undefined
    this.#end.resolve(end)
  }

  #event(value: ProgramLine['v'], port: RunPort): void {
    if (value['type'] === 'request') {
      this.#tellRequest(port, value)
      return
    }
    if (this.#line.k === 'run') this.#tell(port, this.#whole(value))
    this.#story?.event(value)
    if (this.#line.k !== 'task') return
    const { type, text, first, message } = value
    if (type === 'text-delta')
      port.agent({ type, text: asText(text), ...(first === true && { first }) })
    if (type === 'progress' && typeof message === 'string') port.agent({ type, message })
  }

  /**
   * The event with all that `shorten` left out of its prompt; without its prompt, if the blocks
   * that it does not repeat were lost.
   */
  #whole({ manifest, ...event }: ProgramLine['v']): ProgramLine['v'] {
    if (manifest === undefined) return event
    const { same = 0, cached, blocks, ...rest } = fieldsOf(manifest)
    const known = this.#blocks.slice(0, Number(same))
    const all = known.length === same ? [...known, ...listOf(blocks)] : []
    this.#blocks = all.map((block, index) => ({
      index,
      ...fieldsOf(block),
      cached: index < Number(cached),
    }))
    const { runId, provider, model } = event
    return all.length
      ? { ...event, manifest: { runId, provider, model, ...rest, blocks: this.#blocks } }
      : event
  }

  #toEnd({ t, v }: ProgramLine, port: RunPort): RunEnd {
    const status = t === 'error' ? 'failed' : this.#statusOf(v)
    const transcript = readMessages(v['transcript'] ?? v['messages'])
    const isLimit = status === 'limit' || status === 'budget'
    const { code, message } = fieldsOf(v['error'])
    const error = {
      code: isLimit ? status : asText(code) || 'failed',
      message: asText(message ?? v['message']),
    }
    if (status === 'suspended' && this.#waiting.length > 0)
      port.note(
        `It waits for ${this.#waiting.join(', ')}. Only its program can end that; with a store, "modelport agent tasks --store FILE" says who may decide, and by which command.`,
      )
    if (status === 'failed' && this.#story)
      this.#tell(port, { type: 'model-error', step: this.#story.step, ...error })
    return {
      status,
      ...(transcript.length > this.record.messages.length && { transcript }),
      ...this.#spentOf(v),
      ...((isLimit || status === 'failed') && { error }),
    }
  }

  /**
   * What the run spent itself. Tasks and durable runs make no calls: the runs in them do, and are
   * shown as such.
   */
  #spentOf(v: ProgramLine['v']): OwnSpending {
    const { k, v: start } = this.#line
    if (k === 'call') return callSpending(readUsage(v['usage']), start['prices'])
    return k === 'run' ? readSpending(v['own']) : {}
  }

  #tell(port: RunPort, value: unknown): void {
    const event = toRunEvent(value)
    if (!event) return
    this.told.add(event)
    if (event.type === 'run-suspended') this.#waiting = listOf(event.pending).map(waitOf)
    port.run(event)
  }

  /** Reports a request, if the one that it continues is known. */
  #tellRequest(port: RunPort, value: unknown): void {
    const request = readSentRequest(value)
    this.#request = request && wholeRequest(request, this.#request)
    if (request && this.#request) port.request(request)
  }

  #statusOf({ finishReason, events, status }: ProgramLine['v']): RunEnd['status'] {
    if (this.#line.k === 'call') return finishReason === undefined ? 'cancelled' : 'final'
    const last = listOf(events).findLast((event) => fieldsOf(event)['type'] === 'status')
    const given = this.#line.k === 'task' ? fieldsOf(last)['state'] : (status ?? 'final')
    const name = given === 'completed' ? 'final' : given === 'rejected' ? 'failed' : given
    return ends.find((one) => one === name) ?? 'suspended'
  }
}
