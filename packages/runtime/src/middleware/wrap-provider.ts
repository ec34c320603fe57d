import {
  attachDescription,
  type CallOptions,
  type ChatMessage,
  describeProvider,
  type Generation,
  longestTimer,
  mergeDetails,
  mergeOptions,
  type Provider,
  ProviderError,
  type StreamEvent,
  type StreamReader,
  type ToolDefinition,
  type ToolStreamReader,
  toUsage,
  wholeText,
} from '@modelport/core'
import { checkProvider } from '../base/check-request.js'
import { isPromiseLike } from '../base/is-promise-like.js'
import { toObserver } from '../base/observer.js'
import { untilAborted } from '../base/until-aborted.js'
import { ObservedTextReader, ObservedToolReader, type ReadObserver } from './observed-reader.js'
import type { CallEnd, Middleware, ProviderCall } from './provider-call.js'
import { TextReader } from './text-reader.js'

/**
 * Puts middleware around every call of a provider. The first middleware is the outermost. The
 * result is a {@link Provider} with the same name, model and description; a hook that is not set
 * costs nothing and changes nothing.
 * @throws {LlmError} `config` — `provider` is not a provider.
 * @example
 * ```ts
 * import { createMock } from '@modelport/provider-mock'
 * import { wrapProvider } from '@modelport/runtime'
 *
 * const provider = wrapProvider(createMock({ responses: ['Hi'] }), {
 *   beforeCall: (call) => {
 *     console.log(call.method)
 *     return call
 *   },
 * })
 * console.log(await provider.complete('Hello'))
 * ```
 *
 * ```text
 * complete
 * Hi
 * ```
 */
export function wrapProvider(provider: Provider, ...middleware: readonly Middleware[]): Provider {
  checkProvider(provider)
  return middleware.reduceRight(wrap, provider)
}

function wrap(provider: Provider, middleware: Middleware): Provider {
  const calls = new WrappedCalls(provider, middleware)
  const ask = (prompt: string): readonly ChatMessage[] => [{ role: 'user', content: prompt }]
  const wrapped: Provider = {
    name: provider.name,
    model: provider.model,
    cheapestModel: provider.cheapestModel,
    complete: async (prompt, ...options) =>
      wholeText(await calls.generate('complete', ask(prompt), options), provider.name),
    completeWithHistory: async (messages, ...options) =>
      wholeText(await calls.generate('completeWithHistory', messages, options), provider.name),
    generate: (messages, ...options) => calls.generate('generate', messages, options),
    stream: (prompt, ...options) => calls.streamText('stream', ask(prompt), options),
    streamWithHistory: (messages, ...options) =>
      calls.streamText('streamWithHistory', messages, options),
    streamWithTools: (messages, tools, ...options) =>
      calls.stream('streamWithTools', messages, tools, options),
    estimateTokens: (text) => provider.estimateTokens(text),
  }
  return attachDescription(wrapped, describeProvider(provider))
}

/** The calls of one provider with one middleware. */
class WrappedCalls {
  readonly #provider: Provider
  readonly #middleware: Middleware
  readonly #report: (end: CallEnd, call: ProviderCall) => void

  constructor(provider: Provider, middleware: Middleware) {
    this.#provider = provider
    this.#middleware = middleware
    const report = toObserver((one: { end: CallEnd; call: ProviderCall }) =>
      middleware.onEnd?.(one.end, one.call),
    )
    this.#report = (end, call) => {
      report({ end, call })
    }
  }

  async generate(
    method: ProviderCall['method'],
    messages: readonly ChatMessage[],
    options: readonly CallOptions[],
  ): Promise<Generation> {
    return this.#run(method, messages, undefined, options, async (call, startedAt) => {
      const next = (one: ProviderCall): Promise<Generation> =>
        this.#provider.generate(one.messages, withTools(one))
      const generation = await (this.#middleware.aroundGenerate?.(call, next) ?? next(call))
      const { text, usage, finishReason, message } = generation
      const durationMs = performance.now() - startedAt
      const details = mergeDetails(generation)
      const added = [...call.messages, message]
      this.#report(
        { outcome: 'end', text, usage, finishReason, details, messages: added, durationMs },
        call,
      )
      return generation
    })
  }

  async stream(
    method: ProviderCall['method'],
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[] | undefined,
    options: readonly CallOptions[],
  ): Promise<ToolStreamReader> {
    return this.#run(method, messages, tools, options, async (call, startedAt) => {
      const next = (one: ProviderCall): Promise<ToolStreamReader> =>
        this.#provider.streamWithTools(one.messages, one.tools, one.options)
      const reader = await (this.#middleware.aroundStream?.(call, next) ?? next(call))
      if (!this.#observes) return reader
      return new ObservedToolReader(
        reader,
        this.#observer(call, reader, startedAt, (event) => event),
      )
    })
  }

  async streamText(
    method: ProviderCall['method'],
    messages: readonly ChatMessage[],
    options: readonly CallOptions[],
  ): Promise<StreamReader> {
    if (this.#middleware.aroundStream)
      return new TextReader(await this.stream(method, messages, undefined, options))
    return this.#run(method, messages, undefined, options, async (call, startedAt) => {
      const reader = await this.#provider.streamWithHistory(call.messages, withTools(call))
      if (!this.#observes) return reader
      const toEvent = (text: string): StreamEvent => ({ type: 'text-delta', text })
      return new ObservedTextReader(reader, this.#observer(call, reader, startedAt, toEvent))
    })
  }

  get #observes(): boolean {
    return this.#middleware.onEvent !== undefined || this.#middleware.onEnd !== undefined
  }

  async #run<T>(
    method: ProviderCall['method'],
    messages: readonly ChatMessage[],
    given: readonly ToolDefinition[] | undefined,
    options: readonly CallOptions[],
    make: (call: ProviderCall, startedAt: number) => Promise<T>,
  ): Promise<T> {
    const { tools, ...rest } = mergeOptions(...options)
    const asked: ProviderCall = { method, messages, tools: given ?? tools ?? [], options: rest }
    const decided = this.#middleware.beforeCall?.(asked, this.#provider)
    const call =
      (isPromiseLike(decided) ? await inTime(decided, rest, this.#provider.name) : decided) ?? asked
    const startedAt = performance.now()
    try {
      return await make(call, startedAt)
    } catch (error) {
      const durationMs = performance.now() - startedAt
      this.#report({ outcome: 'error', error, ...failed(error), durationMs }, call)
      throw error
    }
  }

  #observer<T>(
    call: ProviderCall,
    reader: StreamReader | ToolStreamReader,
    startedAt: number,
    toEvent: (item: T) => StreamEvent,
  ): ReadObserver<T> {
    let finishReason: CallEnd['finishReason']
    const onEvent = toObserver((one: { event: StreamEvent; call: ProviderCall }) =>
      this.#middleware.onEvent?.(one.event, one.call),
    )
    return {
      onItem: (item) => {
        const event = toEvent(item)
        if (event.type === 'turn-end') finishReason = event.reason
        onEvent({ event, call })
      },
      onEnd: (outcome, error) => {
        const reason =
          finishReason ?? ('finishReason' in reader ? reader.finishReason() : undefined)
        const end: CallEnd = {
          outcome,
          ...(error !== undefined && { error }),
          text: reader.fullText(),
          usage: reader.usage(),
          details: reader.details(),
          ...(reason !== undefined && { finishReason: reason }),
          ...('messages' in reader && outcome !== 'error' && { messages: reader.messages() }),
          durationMs: performance.now() - startedAt,
        }
        this.#report(end, call)
      },
    }
  }
}

/** Waits for a hook, and no longer than the call may take. */
async function inTime<T>(value: PromiseLike<T>, given: CallOptions, provider: string): Promise<T> {
  // null takes back a setting of the provider.
  const { deadlineMs, signal } = {
    deadlineMs: given.deadlineMs ?? undefined,
    signal: given.signal ?? undefined,
  }
  if (deadlineMs === undefined) return untilAborted(value, signal)
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        const message = `${deadlineMs} ms have passed, and beforeCall has not decided yet`
        reject(new ProviderError('timeout', message, { provider, reason: 'deadline' }))
      },
      Math.min(deadlineMs, longestTimer),
    )
  })
  try {
    return await untilAborted(Promise.race([value, over]), signal)
  } finally {
    clearTimeout(timer)
  }
}

const withTools = ({ tools, options }: ProviderCall): CallOptions =>
  tools.length ? { ...options, tools } : options

/** The part of a failed call that arrived. */
function failed(error: unknown): Pick<CallEnd, 'text' | 'usage' | 'details'> {
  const { partial } = (error ?? {}) as {
    readonly partial?: { readonly text?: string; readonly usage?: CallEnd['usage'] }
  }
  return { text: partial?.text ?? '', usage: partial?.usage ?? toUsage([]), details: {} }
}
