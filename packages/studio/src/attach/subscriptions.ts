import { AsyncLocalStorage } from 'node:async_hooks'
import { channel } from 'node:diagnostics_channel'
import type { Redact } from '@modelport/core'
import { withoutSystem } from '../protocol/sent-request.js'
import { encode, toEnd } from './encode.js'
import { type AskedTurn, toSentRequest } from './sent-request.js'
import { type Prepared, shorten } from './shorten.js'
import type { Delta, Span, Spool } from './spool.js'

/** A message of a slot. */
interface Message {
  readonly type: 'start' | 'event' | 'end' | 'error' | 'model-call'
  readonly span?: { readonly redact?: Redact }
  readonly value?: unknown
}

/** What an event of a run has. */
interface RunEvent extends Prepared {
  readonly type: string
  readonly at?: number
  readonly text?: string
}

/**
 * Where code runs: within a span, and within the model call of a run, which the run describes
 * itself.
 */
interface Place {
  readonly span?: Span | undefined
  readonly parent?: Span | undefined
  readonly isModelCall?: boolean
}

/** Maximum spans that are open at once: readers that a program forgets never end. */
const mostOpen = 5_000

/** Characters from which the start of a span is kept in short. */
const longestKept = 50_000

/** Types of events that say nothing that the others do not say. */
const leftOut = new Set(['context-prepared', 'output-partial', 'done'])

/** Types of events that nothing outside of the library can change later. */
const own = new Set(['step-start', 'model-call-start', 'model-call-end'])

/** Characters of the line of such an event, without its text and the parts of a prompt. */
const ofOwn = 1_000
/** Characters of each part of a prompt. */
const ofPart = 100

/** Where lines go. */
interface Destination {
  readonly spool: Spool
  readonly withContent: boolean
  /** True while a studio takes lines. */
  isTaken(): boolean
  notify(): void
}

/** Writes what happens in the slots into a spool. */
export class Subscriptions {
  readonly #to: Destination
  readonly #spans = new WeakMap<object, Span>()
  readonly #open = new Set<Span>()
  readonly #place = new AsyncLocalStorage<Place>()
  readonly #program = crypto.randomUUID().slice(-12)
  #count = 0
  readonly #redacts = new Set<Redact>()
  #hasNewRedact = false
  readonly #ends: (() => void)[] = []

  constructor(to: Destination) {
    this.#to = to
    for (const kind of ['run', 'task', 'durable', 'call']) {
      const slot = channel(`modelport:${kind}`)
      if (kind !== 'call') slot.bindStore(this.#place, (message) => this.#enter(message as Message))
      const listener = (message: unknown): void => {
        try {
          this.#take(kind, message as Message)
        } catch {
          // Whatever a value of the program does when it is read, the program continues.
        }
      }
      slot.subscribe(listener)

      this.#ends.push(() => {
        slot.unsubscribe(listener)
        slot.unbindStore(this.#place)
      })
    }
  }

  /** Listens no more: what happens from now on costs the program nothing. */
  close(): void {
    for (const end of this.#ends.splice(0)) end()
  }

  /** What takes the keys of the newest providers out of texts, if there are new ones. */
  takeRedacts(): Iterable<Redact> | undefined {
    const isNew = this.#hasNewRedact
    this.#hasNewRedact = false
    return isNew ? this.#redacts : undefined
  }

  /** The lines that begin what is open. */
  starts(): string[] {
    return [...this.#open].map((span) => {
      span.blocks = []
      span.request = undefined
      span.isKnown = true
      if (span.isOver) this.#open.delete(span)
      return span.start
    })
  }

  #enter({ type, span }: Message): Place {
    const here = this.#place.getStore()
    if (type === 'model-call') return { ...here, isModelCall: true }
    return { span: span && this.#begin(span), parent: here?.span }
  }

  #begin(of: object): Span {
    const span: Span = {
      id: `${this.#program}-${++this.#count}`,
      start: '',
      dropped: 0,
      blocks: [],
    }
    this.#spans.set(of, span)
    return span
  }

  #take(kind: string, { type, span: of, value }: Message): void {
    if (!of) return
    if (type === 'start') {
      this.#start(kind, of, value)
      return
    }
    const span = this.#spans.get(of)
    if (!span) return
    if (type !== 'event') {
      // A studio that comes later may know its beginning alone, from the one before.
      span.isOver = span.isKnown === true && !this.#to.isTaken()
      if (!span.isOver) this.#open.delete(span)
      this.#add(span, this.#encode(type, span, toEnd(value)))
    } else if (isDelta(value)) {
      this.#to.spool.addDelta(span, value, this.#to.withContent ? value.text : '')
      this.#to.notify()
    } else if (!leftOut.has((value as Message).type)) this.#event(span, value as RunEvent)
  }

  #event(span: Span, event: RunEvent): void {
    const { type, at, text = '' } = event
    const short = shorten(span, event)
    const make = (): string => this.#encode('event', span, short, '', at)
    // Many lines that are made at once take a half of the time.
    if (own.has(type))
      this.#add(span, make, ofOwn + text.length + ofPart * (short.manifest?.blocks?.length ?? 0))
    else this.#add(span, make())
  }

  /** What the model is sent in a call of a run; a run describes the rest of it itself. */
  #request(span: Span, turn: AskedTurn): void {
    if (!this.#to.withContent) return
    const at = Date.now()
    // Made when it is sent: then it continues the last one that was sent, whatever was dropped.
    const make = (): string => {
      const { request, next } = toSentRequest(turn, span.request)
      span.request = next
      return this.#encode('event', span, { type: 'request', ...request }, '', at)
    }
    this.#add(span, make, ofOwn)
  }

  #encode(type: string, { id }: Span, value: unknown, more = '', at = Date.now()): string {
    return encode(`"t":"${type}","s":"${id}","at":${at}${more}`, value, this.#to.withContent)
  }

  #add(span: Span, line: string | (() => string), size?: number): void {
    this.#to.spool.add(span, line, size)
    this.#to.notify()
  }

  #start(kind: string, of: NonNullable<Message['span']>, value: unknown): void {
    const here = this.#place.getStore()
    const isCall = kind === 'call'
    if (of.redact) {
      this.#hasNewRedact ||= !this.#redacts.has(of.redact)
      addNewest(this.#redacts, of.redact, 32)
    }
    if (isCall && here?.isModelCall) {
      if (here.span) this.#request(here.span, value as AskedTurn)
      return
    }
    const span = isCall ? this.#begin(of) : here?.span
    if (!span) return
    const parent = isCall ? here?.span : here?.parent
    const place = `,"k":"${kind}"${parent ? `,"p":"${parent.id}"` : ''}`
    const line = this.#encode('start', span, value, place)
    // The studio has these messages from the start: requests do not repeat them.
    const { messages } = value as { readonly messages?: AskedTurn['messages'] }
    if (messages) span.request = { messages: withoutSystem(messages) }
    const { name, provider, model } = value as Readonly<Record<string, unknown>>
    span.start =
      line.length > longestKept
        ? this.#encode('start', span, { name, provider, model }, place)
        : line
    span.isKnown = this.#to.isTaken()
    addNewest(this.#open, span, mostOpen)
    this.#add(span, line)
  }
}

/** Adds a value as the newest; the oldest above so many are forgotten. */
function addNewest<T>(set: Set<T>, value: T, most: number): void {
  set.delete(value)
  set.add(value)
  for (const oldest of set) if (set.size > most) set.delete(oldest)
}

/**
 * True for a part of a text that others can be added to: one that begins a text anew stands alone.
 */
const isDelta = (value: unknown): value is Delta => {
  const { type, text, first } = (value ?? {}) as Readonly<Record<string, unknown>>
  return (
    typeof type === 'string' &&
    type.endsWith('-delta') &&
    typeof text === 'string' &&
    first === undefined
  )
}
