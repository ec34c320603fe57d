import type { StreamEvent, ToolResult } from '@modelport/core'
import { textOf } from '@modelport/core'
import { type RunEvent, toToolContent } from '@modelport/runtime'
import { MarkdownView } from '../terminal/markdown.js'
import type { Printer } from '../terminal/printer.js'
import { Progress } from '../terminal/progress.js'
import { shorten } from '../terminal/shorten.js'
import { toVisible } from '../terminal/visible-text.js'
import type { ReplyView } from './ask.js'

/** How a reply is shown as text. */
export interface TextViewOptions {
  readonly out: Printer
  /** Where progress and notes go. */
  readonly err: Printer
  /** True shows the model's reasoning too. */
  readonly reasoning: boolean
  /** False shows Markdown as it was written. */
  readonly markdown: boolean
}

/** Shows a reply to a person: Markdown on a terminal, the text as it is in a pipe. */
export class TextView implements ReplyView {
  readonly #options: TextViewOptions
  readonly #safe: (text: string) => string
  readonly #safeReasoning: (text: string) => string
  /** The tools of the calls so far, by the id of the call. */
  readonly #names = new Map<string, string>()
  #progress: Progress | undefined
  #markdown: MarkdownView | undefined
  #last: 'text' | 'reasoning' | undefined
  #lineOpen = false
  /** True if text without a final line end was written to a pipe. */
  #pipeOpen = false
  /** True between the start of a step and its first text. */
  #stepBegins = false

  constructor(options: TextViewOptions) {
    this.#options = options
    this.#safe = options.out.foreignStream()
    this.#safeReasoning = options.err.foreignStream()
    this.#wait()
  }

  event(event: StreamEvent): void {
    if (event.type === 'text-delta') this.#text(event.text)
    else if (event.type === 'reasoning-delta' && this.#options.reasoning)
      this.#reasoning(event.text)
    else if (event.type === 'tool-call-complete') this.#finish()
    else if (event.type === 'turn-end' || event.type === 'done') this.#progress?.stop()
  }

  /** Shows the outcome of each call, once it is known. */
  run(event: RunEvent): void {
    switch (event.type) {
      case 'step-start':
        this.#stepBegins = true
        break
      case 'action-requested':
        this.#finish()
        if (event.action.type === 'tool_call') this.#names.set(event.actionId, event.action.tool)
        break
      case 'action-repeated':
        this.#outcome('✗', this.#names.get(event.actionId), 'repeats a call; it was not run again')
        break
      case 'approval-decision':
        if (!event.approved) this.#outcome('✗', this.#names.get(event.actionId), event.reason ?? '')
        break
      case 'tool-start':
        this.#wait(`running ${this.#options.err.foreign(event.tool)}`)
        break
      case 'tool-progress':
        this.#progress?.say(toVisible(`${event.tool}: ${textOf(toToolContent(event.progress))}`))
        break
      case 'tool-result':
        this.#outcome('✓', event.tool, textOf(toToolContent(event.result)))
        break
      case 'tool-error':
        if (event.phase !== 'cancelled') this.#outcome('✗', event.tool, event.message)
        break
      case 'mode-changed':
        this.#note('the server refused tools, so the model is asked to write its calls as JSON')
        break
      default:
    }
  }

  /** A reply ends its line, also in a pipe. */
  end(): void {
    this.#finish()
    if (this.#pipeOpen) this.#options.out.line()
    this.#pipeOpen = false
  }

  #outcome(mark: '✓' | '✗', name = '', text: string): void {
    const shown = toVisible(text)
    const short = shorten(shown, 200)
    this.#note(`${mark} ${this.#options.err.foreign(name)} ${short}`)
  }

  #note(line: string): void {
    const { err } = this.#options
    this.#progress?.stop()
    err.line(err.style('dim', line))
    this.#wait()
  }

  #text(text: string): void {
    const { out, markdown } = this.#options
    this.#progress?.stop()
    if (this.#last === 'reasoning') this.#finish()
    this.#last = 'text'
    // In a pipe no line of a call stands between the texts of two steps.
    if (this.#stepBegins && this.#pipeOpen) this.#options.out.line()
    this.#stepBegins = false
    const clean = this.#safe(text)
    if (markdown && out.colours) (this.#markdown ??= new MarkdownView(out)).write(clean)
    else out.write(clean)
    if (!clean) return
    this.#lineOpen = !clean.endsWith('\n')
    this.#pipeOpen = this.#lineOpen && !out.terminal
  }

  #reasoning(text: string): void {
    const { err } = this.#options
    this.#progress?.stop()
    this.#last = 'reasoning'
    const clean = this.#safeReasoning(text)
    err.write(err.style('dim', clean))
    if (clean) this.#lineOpen = !clean.endsWith('\n')
  }

  /** Ends the line that is being written. */
  #finish(): void {
    this.#progress?.stop()
    if (this.#markdown) this.#markdown.end()
    else if (this.#lineOpen && (this.#options.out.terminal || this.#last === 'reasoning'))
      this.#options[this.#last === 'reasoning' ? 'err' : 'out'].line()
    this.#markdown = undefined
    this.#lineOpen = false
    this.#last = undefined
  }

  #wait(label = 'waiting for the reply'): void {
    this.#progress?.stop()
    this.#progress = new Progress(this.#options.err, label)
  }
}

/** Shows a reply to a program: every event as a line of JSON. */
export class JsonView implements ReplyView {
  readonly #out: Printer

  constructor(out: Printer) {
    this.#out = out
  }

  event(event: StreamEvent): void {
    this.#out.json(event)
  }

  run(event: RunEvent): void {
    // The other lines are the model's own events and the results.
    if (event.type === 'mode-changed')
      this.#out.json({ type: event.type, mode: event.mode, reason: event.reason })
  }

  results(results: readonly ToolResult[]): void {
    for (const result of results) this.#out.json({ type: 'tool-result', ...result })
  }
}
