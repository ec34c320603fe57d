import type { TokenLogprob } from '@modelport/core'
import type { NeutralRecord } from '@modelport/driver'
import type { CallFormat } from './call-format.js'
import type { ThinkingMarks } from './chat-template.js'
import { ToolCallScanner } from './tool-call-scanner.js'

/** What to look for in a reply. */
export interface ReplyMarks {
  readonly thinking: ThinkingMarks | undefined
  /** True when the prompt ended inside the thinking. */
  readonly startsThinking: boolean
  /** Undefined when there are no tools: marks of calls are then text. */
  readonly calls: CallFormat | undefined
  readonly stop: readonly string[]
}

interface Mark {
  readonly text: string
  readonly kind: 'stop' | 'thinking' | 'call'
}

interface FoundMark extends Mark {
  /** Where it begins in the held text. */
  readonly at: number
}

/**
 * Splits what a model writes into thinking, text and tool calls. Text that may turn out to be a
 * mark is held back until it is clear.
 */
export class ReplyParser {
  mode: 'thinking' | 'text' | 'call' | 'between' | 'stopped'
  stopText: string | undefined
  /** Tool calls that are over. */
  calls = 0
  readonly #marks: ReplyMarks
  #held = ''
  #logprobs: TokenLogprob[] = []
  #scanner: ToolCallScanner | undefined
  /**
   * True until something other than white space was given out. Only then can a mark of thinking or
   * a bare call begin.
   */
  #fresh = true
  /** True where white space is the template's, not the reply's. */
  #trims: boolean
  #records: NeutralRecord[] = []

  constructor(marks: ReplyMarks) {
    this.#marks = marks
    this.mode = marks.startsThinking ? 'thinking' : 'text'
    this.#trims = marks.startsThinking
  }

  /** Takes a piece of the reply, with its probability when that is wanted. */
  push(text: string, logprob?: TokenLogprob): readonly NeutralRecord[] {
    if (logprob && this.mode === 'text') this.#logprobs.push(logprob)
    this.#held += text
    this.#run(false)
    return this.#takeRecords()
  }

  /** The reply is over: gives out what was held back. */
  end(): readonly NeutralRecord[] {
    this.#run(true)
    if (this.#scanner?.started === false) this.#giveAsText(this.#scanner.text)
    this.#scanner = undefined
    return this.#takeRecords()
  }

  #takeRecords(): readonly NeutralRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  /** Reads the held text until a step changes nothing. */
  #run(final: boolean): void {
    while (this.mode !== 'stopped') {
      const before = this.mode + this.#held
      this.#step(final)
      if (this.mode + this.#held === before) return
    }
  }

  #step(final: boolean): void {
    if (this.mode === 'thinking') this.#think(final)
    else if (this.mode === 'call') this.#call()
    else if (this.mode === 'between') this.#betweenCalls(final)
    else this.#text(final)
  }

  #think(final: boolean): void {
    const close = this.#marks.thinking?.close ?? ''
    this.#trim()
    const at = this.#held.indexOf(close)
    if (at >= 0) {
      this.#give('reasoning', this.#held.slice(0, at).trimEnd())
      this.#held = this.#held.slice(at + close.length)
      this.mode = 'text'
      this.#trims = true
      return
    }
    const safe = this.#safeLength([close], final)
    // White space before the end mark is the template's.
    this.#giveUpTo('reasoning', final ? safe : this.#held.slice(0, safe).trimEnd().length)
  }

  #text(final: boolean): void {
    this.#trim()
    const marks = this.#marksOfText()
    const mark = this.#firstOf(marks)
    if (mark) {
      this.#applyMark(mark)
      return
    }
    const texts = marks.map(({ text }) => text)
    const safe = this.#safeLength(texts, final)
    // White space before a call is the template's.
    const mayTrim = this.#marks.calls && !final
    this.#giveUpTo('text', mayTrim ? this.#held.slice(0, safe).trimEnd().length : safe)
  }

  /** The marks that may end the text. */
  #marksOfText(): readonly Mark[] {
    const { thinking, calls, stop } = this.#marks
    const marks: Mark[] = stop.map((text) => ({ text, kind: 'stop' }))
    if (thinking && this.#fresh && this.calls === 0)
      marks.push({ text: thinking.open, kind: 'thinking' })
    if (calls && (!calls.bare || this.#fresh)) marks.push({ text: calls.open, kind: 'call' })
    return marks
  }

  /** The first of the marks in the held text, if there is one. */
  #firstOf(marks: readonly Mark[]): FoundMark | undefined {
    const { calls } = this.#marks
    return marks
      .map((mark) => ({ ...mark, at: this.#held.indexOf(mark.text) }))
      .filter(({ at }) => at >= 0)
      .filter(({ at, kind }) => {
        const mayFollowText = kind === 'stop' || (kind === 'call' && !calls?.bare)
        return mayFollowText || !this.#held.slice(0, at).trim()
      })
      .sort((a, b) => a.at - b.at)[0]
  }

  /** How much of the held text cannot be the start of a mark. */
  #safeLength(marks: readonly string[], final: boolean): number {
    return this.#held.length - (final ? 0 : overlap(this.#held, marks))
  }

  #applyMark({ text, kind, at }: FoundMark): void {
    const before = this.#held.slice(0, at)
    const rest = this.#held.slice(at + text.length)
    if (kind === 'stop') {
      this.#give('text', before)
      this.mode = 'stopped'
      this.stopText = text
      this.#held = ''
      return
    }
    if (before.trim()) this.#give('text', before.trimEnd())
    this.#logprobs = []
    this.#trims = true
    this.#held = rest
    if (kind === 'thinking') {
      this.mode = 'thinking'
      return
    }
    // The start of a bare call belongs to its JSON.
    if (this.#marks.calls?.bare) this.#held = text + rest
    this.#startCall()
  }

  #startCall(): void {
    this.mode = 'call'
    this.#scanner = new ToolCallScanner(this.calls, this.#marks.calls?.close ?? '')
  }

  /** Text that looked like a call but is not one. */
  #giveAsText(written: string): void {
    const { open = '', bare = false } = this.#marks.calls ?? {}
    this.#trims = false
    this.#give('text', (bare ? '' : open) + written)
    this.#records.push({
      type: 'warning',
      text: 'the model wrote a tool call that cannot be read; it is given as text',
    })
  }

  #call(): void {
    const scanner = this.#scanner
    if (!scanner) return
    const { records, rest } = scanner.push(this.#held)
    this.#records.push(...records)
    this.#held = rest ?? ''
    // There is a rest once the call is over.
    if (rest === undefined) return
    this.#scanner = undefined
    if (scanner.started) {
      this.calls++
      this.mode = 'between'
      return
    }
    this.#giveAsText(scanner.text)
    this.mode = 'text'
  }

  /** After a call: its end mark, or the next call of a list. */
  #betweenCalls(final: boolean): void {
    const { calls } = this.#marks
    const text = this.#held.trimStart()
    if (calls?.list && text.startsWith(',')) {
      this.#held = text
      this.#startCall()
      return
    }
    const mark = calls?.list ? ']' : (calls?.close ?? '')
    const mayBecomeMark = !text || (mark.startsWith(text) && mark !== text)
    if (mayBecomeMark && !final) return
    this.#held = text.startsWith(mark) ? text.slice(mark.length) : text
    this.mode = 'text'
    this.#trims = true
    this.#fresh = true
  }

  #trim(): void {
    if (!this.#trims) return
    this.#held = this.#held.trimStart()
    if (this.#held) this.#trims = false
  }

  #giveUpTo(type: 'text' | 'reasoning', end: number): void {
    this.#give(type, this.#held.slice(0, end))
    this.#held = this.#held.slice(end)
  }

  #give(type: 'text' | 'reasoning', text: string): void {
    if (!text) return
    this.#records.push({ type, text })
    if (type !== 'text') return
    if (text.trim()) this.#fresh = false
    if (this.#logprobs.length) this.#records.push({ type: 'logprobs', tokens: this.#logprobs })
    this.#logprobs = []
  }
}

/** How many characters at the text's end may be the start of a mark. */
function overlap(text: string, marks: readonly string[]): number {
  let most = 0
  for (const mark of marks) {
    for (let length = Math.min(mark.length - 1, text.length); length > most; length--) {
      if (text.endsWith(mark.slice(0, length))) most = length
    }
  }
  return most
}
