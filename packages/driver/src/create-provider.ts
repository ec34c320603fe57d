import {
  attachDescription,
  type CallOptions,
  type ChatMessage,
  defaultOptions,
  estimateTokens,
  type Generation,
  mergeOptions,
  type Provider,
  type StreamReader,
  type ToolDefinition,
  type ToolStreamReader,
  validateOptions,
  withoutNulls,
} from '@modelport/core'
import { toPromptMessages } from './check-content.js'
import { createCallContext, type ProviderState, renewForTurn } from './call-context.js'
import { checkConfig } from './check-config.js'
import { type ProviderSettings, toDefaultOptions } from './config.js'
import { Conversation } from './conversation.js'
import { defined } from './defined.js'
import type { Driver, Turn } from './driver.js'
import { generateReply } from './generate.js'
import { normalizeHistory, toolCallIds } from './history.js'
import { checkDepth, checkTools } from './json-depth.js'
import { proxySecrets } from './proxy.js'
import { createRedact, headerSecrets, type Redact } from '@modelport/core'
import { createRetryBucket } from './retry.js'
import { sanitizeError } from './sanitize.js'
import type { CallScope } from './scope.js'
import type { StreamObserver } from './stream-observer.js'
import { EventStreamReader, TextStreamReader } from './stream-readers.js'
import { createTransport } from './transport.js'

/**
 * Makes a provider of a driver: merges and checks options, sends, retries until the first delta of the reply, reads,
 * keeps clocks, spans turns with tools, sums usage, and redacts secrets.
 * The provider's methods throw as {@link Provider} says.
 * @throws {LlmError} `config` — the configuration has what cannot work: headers, hosts, time-outs, limits, default options, `fetch`.
 */
export function createProvider<Request>(driver: Driver<Request>, settings: ProviderSettings): Provider {
  const state = createState(driver, settings)
  const { config } = state
  const defaults = toDefaultOptions(config.defaults)
  const start = (messages: readonly ChatMessage[], options: readonly CallOptions[], stream: boolean): Call =>
    startCall(state, messages, mergeOptions(defaults, ...options), stream)
  const generate = async (messages: readonly ChatMessage[], ...options: CallOptions[]): Promise<Generation> => {
    const { scope, conversation } = start(messages, options, false)
    return generateReply(scope, conversation)
  }
  const streamWithHistory = async (
    messages: readonly ChatMessage[],
    ...options: CallOptions[]
  ): Promise<StreamReader> => {
    const call = start(messages, options, true)
    return opened(new TextStreamReader(call.scope, call.conversation), call)
  }
  const provider: Provider = {
    name: driver.name,
    model: config.model,
    cheapestModel: config.cheapestModel,
    complete: async (prompt, ...options) => (await generate(toPromptMessages(prompt), ...options)).text,
    completeWithHistory: async (messages, ...options) => (await generate(messages, ...options)).text,
    generate,
    stream: async (prompt, ...options) => streamWithHistory(toPromptMessages(prompt), ...options),
    streamWithHistory,
    streamWithTools: async (messages, tools, ...options): Promise<ToolStreamReader> => {
      const call = start(messages, [...options, { tools }], true)
      return opened(new EventStreamReader(call.scope, call.conversation), call)
    },
    estimateTokens: (text) => estimateTokens(text, config.tokenFactor),
  }
  return attachDescription(provider, defined({ capabilities: config.capabilities, profile: config.profile }))
}

/** What a provider keeps between calls; secrets are bound into `redactWith` and kept nowhere else. */
function createState(driver: Driver, settings: ProviderSettings): ProviderState {
  const { secrets, ...config } = settings
  const allowedHosts = checkConfig(settings)
  const own = [...headerSecrets(config.headers), ...proxySecrets(config.proxy)]
  const renewed = typeof secrets === 'function'
  const redactWith = (more: readonly string[]): Redact =>
    renewed
      ? createRenewedRedact(() => [...secrets(), ...own, ...more])
      : createRedact([...(secrets ?? []), ...own, ...more])
  const redact = redactWith([])
  return {
    driver,
    config,
    allowedHosts,
    redactWith: (more) => (more.length ? redactWith(more) : redact),
    bucket: config.retryBucket ?? createRetryBucket(),
    fetch: createTransport(config),
  }
}

/** Redacts the secrets of the moment; the search for them is only prepared again when they have changed. */
function createRenewedRedact(secrets: () => readonly (string | undefined)[]): Redact {
  let known: { readonly key: string; readonly redact: Redact } | undefined
  return (text) => {
    const now = secrets()
    const key = now.join('\0')
    if (known?.key !== key) known = { key, redact: createRedact(now) }
    return known.redact(text)
  }
}

interface Call {
  readonly scope: CallScope
  readonly conversation: Conversation
}

function startCall(
  state: ProviderState,
  messages: readonly ChatMessage[],
  options: CallOptions,
  stream: boolean,
): Call {
  try {
    validateOptions(options)
  } catch (error) {
    throw sanitizeError(error, state.driver.name, state.redactWith(headerSecrets(options.vendor?.['headers'])))
  }
  const values = withoutNulls(options)
  let conversation: Conversation | undefined
  const context = createCallContext(state, values, toolCallIds(messages), () => conversation?.partial())
  const { headers: _, ...vendor } = values.vendor ?? {}
  const turn = (history: readonly ChatMessage[], tools: readonly ToolDefinition[]): Turn => {
    checkTools(tools)
    for (const name of ['vendor', 'responseFormat', 'providerTools'] as const) checkDepth(name, values[name])
    return {
      model: state.config.model,
      messages: normalizeHistory(history, values.system),
      tools,
      options: { ...values, vendor, ...(options.maxTokens === undefined && { maxTokens: defaultOptions.maxTokens }) },
      defaultTemperature: options.temperature === undefined ? defaultOptions.temperature : undefined,
      stream,
    }
  }
  const renew = (): void => {
    renewForTurn(context, state, values)
  }
  const { scope } = context
  try {
    conversation = new Conversation(context, { turn, renew }, messages, values.tools ?? [])
  } catch (error) {
    scope.end()
    throw error
  }
  return { scope, conversation }
}

/** The reader, once its first response is there: an HTTP failure rejects the call, not the first read. */
async function opened<R extends StreamObserver>(reader: R, { scope, conversation }: Call): Promise<R> {
  try {
    await conversation.open(reader)
    return reader
  } catch (error) {
    scope.end()
    throw error
  }
}
