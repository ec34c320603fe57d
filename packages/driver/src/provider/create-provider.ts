import {
  attachDescription,
  type CallOptions,
  type ChatMessage,
  estimateTokens,
  type Generation,
  type Provider,
  type StreamReader,
  type ToolStreamReader,
  wholeText,
} from '@modelport/core'
import { checkPlatform } from '@modelport/core/settings'
import { defined } from '../base/defined.js'
import type { Driver } from '../base/driver.js'
import type { CallScope } from '../base/scope.js'
import { renewForTurn } from '../call/call-context.js'
import { createProviderState, type ProviderState } from '../call/provider-state.js'
import { startCall } from '../call/start-call.js'
import type { ProviderSettings } from '../config/config.js'
import { Conversation } from '../exchange/conversation.js'
import type { StreamObserver } from '../exchange/stream-observer.js'
import { generateReply } from '../reader/generate.js'
import { EventStreamReader, TextStreamReader } from '../reader/stream-readers.js'
import { toPromptMessages } from '../turn/check-content.js'
import { checkCapabilities } from './check-capabilities.js'

/**
 * Makes a provider of a driver: merges and checks options, sends, retries until the first delta of
 * the reply, reads, keeps clocks, spans turns with tools, sums usage, and redacts secrets. The
 * provider's methods throw as {@link Provider} says.
 * @throws {LlmError} `config` — the configuration has what cannot work: headers, hosts, time-outs,
 * limits, default options, `fetch`; the capabilities leave an ability out; or the platform is too
 * old.
 */
export function createProvider<Request>(
  driver: Driver<Request>,
  settings: ProviderSettings,
): Provider {
  checkPlatform()
  checkCapabilities(driver.name, settings.capabilities)
  const state = createProviderState(driver, settings)
  const { config } = state
  const start = (
    messages: readonly ChatMessage[],
    options: readonly CallOptions[],
    stream: boolean,
  ): Call => startConversation(state, messages, options, stream)
  const generate = async (
    messages: readonly ChatMessage[],
    ...options: CallOptions[]
  ): Promise<Generation> => {
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
    complete: async (prompt, ...options) =>
      wholeText(await generate(toPromptMessages(prompt), ...options), driver.name),
    completeWithHistory: async (messages, ...options) =>
      wholeText(await generate(messages, ...options), driver.name),
    generate,
    stream: async (prompt, ...options) => streamWithHistory(toPromptMessages(prompt), ...options),
    streamWithHistory,
    streamWithTools: async (messages, tools, ...options): Promise<ToolStreamReader> => {
      const call = start(messages, [...options, { tools }], true)
      return opened(new EventStreamReader(call.scope, call.conversation), call)
    },
    estimateTokens: (text) => estimateTokens(text, config.tokenFactor),
  }
  return attachDescription(
    provider,
    defined({
      capabilities: config.capabilities,
      profile: config.profile,
      api: driver.api,
    }),
  )
}

interface Call {
  readonly scope: CallScope
  readonly conversation: Conversation
}

function startConversation<Request>(
  state: ProviderState<Driver<Request>>,
  messages: readonly ChatMessage[],
  options: readonly CallOptions[],
  stream: boolean,
): Call {
  let conversation: Conversation | undefined
  const { context, values, turn } = startCall(state, messages, options, stream, () =>
    conversation?.partial(),
  )
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

/**
 * Returns the reader once the first response has begun: an HTTP failure rejects the call, not the
 * first read.
 */
async function opened<R extends StreamObserver>(
  reader: R,
  { scope, conversation }: Call,
): Promise<R> {
  try {
    await conversation.open(reader)
    return reader
  } catch (error) {
    scope.end(error)
    throw error
  }
}
