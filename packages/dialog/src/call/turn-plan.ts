import { type JsonObject, LlmError } from '@modelport/core'
import type {
  AfterTools,
  Authorize,
  FinalReply,
  OutputParser,
  ParsedOutput,
  Tool,
  ToolSource,
} from '@modelport/runtime'
import type { Parsed, Parser } from '../parse/parser.js'
import { defaultHandlers, fillHandler, type HandlerName } from '../prompt/handlers.js'
import type { TemplateValues } from '../prompt/placeholders.js'
import type { AnyPrompt, BasePrompt } from '../prompt/prompt.js'
import type { CallLimits } from './limits.js'
import type { CallerSettings } from './settings.js'
import type { TraceRecorder } from './trace-recorder.js'

/** The input for a turn plan. */
export interface TurnPlanRequest {
  readonly prompt: AnyPrompt
  readonly args: TemplateValues
  readonly settings: CallerSettings
  readonly limits: CallLimits
  readonly recorder: TraceRecorder
  readonly parserArgs: unknown
  /** Tool rounds that a resumed call has behind it. */
  readonly toolRounds: number
}

/** Tools, parser and handlers of one turn, as they apply at the moment. */
export class TurnPlan {
  readonly #request: TurnPlanRequest
  readonly #prompt: AnyPrompt
  /** The handlers that are prompts. */
  readonly #handlerPrompts: readonly BasePrompt<unknown>[]
  /** The tools of the request: a list where they stay the same. */
  readonly tools: readonly Tool[] | (() => readonly Tool[])
  /** The sources of the request, which have no tools in the last call. */
  readonly sources: readonly ToolSource[]
  /** The last handler that was shown to the model: its parser and tools apply. */
  #active: AnyPrompt | undefined
  #toolRounds: number
  #nextPartial = 0
  #lastLength = 0
  lastProblems: readonly string[] = []
  lastText = ''

  constructor(request: TurnPlanRequest) {
    this.#request = request
    this.#prompt = request.prompt
    this.#toolRounds = request.toolRounds
    const { onParseError, onToolResults, lastCall, tools = [], sources = [] } = this.#prompt
    this.#handlerPrompts = [onParseError, onToolResults, lastCall].filter(
      (one) => typeof one === 'object',
    )
    const others = this.#handlerPrompts.some((handler) => handler.tools?.length)
    this.tools = tools.length || others ? (): readonly Tool[] => this.#toolsNow() : []
    this.sources = sources.map((source) => this.#untilLastCall(source))
  }

  /** True once no tool round is left. */
  isLastCall(): boolean {
    return this.#toolRounds >= this.#request.limits.maxToolRounds
  }

  /** True when the model may call anything. */
  get hasTools(): boolean {
    return (
      this.#request.limits.maxToolRounds > 0 &&
      (this.sources.length > 0 || typeof this.tools === 'function')
    )
  }

  /** Denies every call of the last reply: agents are offered to the model even then. */
  get authorize(): Authorize | undefined {
    const { authorize, agents } = this.#request.settings
    if (!agents?.length) return authorize
    return (action, context) =>
      this.isLastCall()
        ? { effect: 'deny', reason: 'no more calls are allowed' }
        : (authorize?.(action, context) ?? { effect: 'allow' })
  }

  /** The message to the model after a reply that is neither a call nor a text. */
  get parseFailureText(): string {
    return this.#textOf('onParseError', { error_message: '{error_message}' })
  }

  /** What reads the final reply. */
  get output(): OutputParser<unknown> {
    return { parse: (reply) => this.#parse(reply) }
  }

  /** JSON Schema of every reply the turn may end with, or undefined. */
  get schema(): JsonObject | undefined {
    return this.#handlerPrompts.some(({ hasParser }) => hasParser)
      ? undefined
      : this.#prompt.parser.schema
  }

  /**
   * The value so far, of a reply that grows. Parsed again only when the text has grown by a
   * twentieth: all passes together then cost no more than a few over the whole text.
   */
  partial(text: string): unknown {
    const { length } = text
    if (length < this.#nextPartial && length > this.#lastLength) return undefined
    this.#lastLength = length
    this.#nextPartial = Math.ceil(length * 1.05)
    return this.#parser.partial?.(text)
  }

  readonly afterTools: AfterTools = (results, { step }) => {
    const { recorder, limits, settings } = this.#request
    const calls = recorder.finishCalls(step, results)
    if (this.isLastCall())
      throw new LlmError(
        'limit-exceeded',
        `the model called tools after the last of ${limits.maxToolRounds} tool rounds`,
      )
    this.#toolRounds++
    const handler =
      this.#prompt.onToolResults ??
      (settings.apiType === 'response' ? defaultHandlers.onToolResults : false)
    const texts: string[] = []
    if (handler !== false) {
      const call_results = calls.map(({ resultText }) => resultText).join('\n')
      texts.push(
        fillHandler(this.#prompt, 'onToolResults', handler, { call_results }, this.#request.args),
      )
      this.#activate(handler)
    }
    if (this.isLastCall()) {
      recorder.add({ type: 'last-call', toolRounds: this.#toolRounds })
      texts.push(this.#textOf('lastCall', {}))
      this.#activate(this.#prompt.lastCall)
    }
    return texts.length ? { role: 'user', content: texts.join('\n\n'), byRun: true } : undefined
  }

  #untilLastCall(source: ToolSource): ToolSource {
    return {
      name: source.name,
      apiHosts: source.apiHosts,
      tools: (signal) => (this.isLastCall() ? Promise.resolve([]) : source.tools(signal)),
      close: () => source.close(),
    }
  }

  get #parser(): Parser<unknown> {
    return this.#active?.hasParser ? this.#active.parser : this.#prompt.parser
  }

  #toolsNow(): readonly Tool[] {
    if (this.isLastCall()) return []
    return this.#active?.tools?.length ? this.#active.tools : (this.#prompt.tools ?? [])
  }

  #activate(handler: string | AnyPrompt | undefined): void {
    if (typeof handler === 'object') this.#active = handler
  }

  #textOf(name: 'onParseError' | 'lastCall', values: TemplateValues): string {
    const handler = this.#prompt[name] ?? defaultHandlers[name]
    return fillHandler(
      this.#prompt,
      name satisfies HandlerName,
      handler,
      values,
      this.#request.args,
    )
  }

  #parse(reply: FinalReply): ParsedOutput<unknown> | Promise<ParsedOutput<unknown>> {
    this.#request.recorder.replied()
    const parsed = this.#parser.read(reply.text, { args: this.#request.parserArgs })
    return parsed instanceof Promise
      ? parsed.then((one) => this.#judge(one, reply))
      : this.#judge(parsed, reply)
  }

  /** Accepts the result of the parser, or makes the correction that the model reads. */
  #judge(parsed: Parsed<unknown>, reply: FinalReply): ParsedOutput<unknown> {
    if (parsed.ok) return parsed
    const { recorder } = this.#request
    const cut =
      reply.finishReason === 'length'
        ? ['the reply was cut off by the token limit: be shorter']
        : []
    this.lastProblems = [...parsed.problems, ...cut]
    this.lastText = reply.text
    const correction = this.#textOf('onParseError', { error_message: this.lastProblems.join('\n') })
    recorder.refuse(this.lastProblems, reply.message, correction)
    this.#activate(this.#prompt.onParseError)
    return { ok: false, issues: this.lastProblems, correction }
  }
}
