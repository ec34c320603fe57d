import {
  attachDescription,
  configError,
  describeProvider,
  isProvider,
  type Provider,
} from '@modelport/core'
import { checkSettings, namesOf } from '@modelport/core/settings'
import { FallbackChain, type FallbackOptions } from './fallback-chain.js'
import { EventFallbackReader, TextFallbackReader } from './fallback-reader.js'

const optionNames = namesOf<FallbackOptions>({
  name: true,
  codes: true,
  attempts: true,
  coolDownMs: true,
  onSwitch: true,
  now: true,
})

/**
 * A provider made of providers: asks the first, and the next if that fails before its reply begins.
 * A reply has begun with the first read that returned something; from then on its failure reaches
 * the caller. A conversation with tools stays with the provider that began it, also if each turn is
 * a call of its own, as in `infer`. If that provider fails between two turns, the next one
 * continues the conversation. The failure of the last one tried is thrown as it is.
 * @throws {LlmError} `config` — there is no provider, or something else than one, or a code is
 * given that must not switch.
 * @example
 * ```ts
 * import { createFallback } from '@modelport/factory'
 * import { createMock } from '@modelport/provider-mock'
 *
 * const provider = createFallback([
 *   createMock({ defaultResponse: { error: 'overloaded' }, defaults: { retry: { attempts: 1 } } }),
 *   createMock({ responses: ['Hi from the second'] }),
 * ])
 * console.log(await provider.complete('Hello'))
 * ```
 *
 * ```text
 * Hi from the second
 * ```
 */
export function createFallback(
  providers: readonly Provider[],
  options: FallbackOptions = {},
): Provider {
  const list: unknown = providers
  if (!Array.isArray(list) || !list.length || !list.every(isProvider))
    throw configError(
      'createFallback: expected a list of at least one provider; await promises of providers first',
    )
  checkSettings('createFallback', options, optionNames)
  const [first] = providers as readonly [Provider, ...Provider[]]
  const chain = new FallbackChain(providers, options)
  const { name = first.name } = options
  const provider: Provider = {
    name,
    model: first.model,
    cheapestModel: first.cheapestModel,
    complete: (prompt, ...more) =>
      chain.run(more, (provider, call) => provider.complete(prompt, call)),
    completeWithHistory: (messages, ...more) =>
      chain.run(more, (provider, call) => provider.completeWithHistory(messages, call), messages),
    generate: (messages, ...more) =>
      chain.run(more, (provider, call) => provider.generate(messages, call), messages),
    stream: (prompt, ...more) =>
      TextFallbackReader.start(chain.walk(more), (provider, call) => provider.stream(prompt, call)),
    streamWithHistory: (messages, ...more) =>
      TextFallbackReader.start(chain.walk(more, messages), (provider, call) =>
        provider.streamWithHistory(messages, call),
      ),
    streamWithTools: (messages, tools, ...more) =>
      EventFallbackReader.startConversation(chain.walk(more, messages), messages, tools),
    estimateTokens: (text) =>
      Math.max(...providers.map((provider) => provider.estimateTokens(text))),
  }
  // The first provider is asked first, so the runtime plans for it.
  const { api, ...description } = describeProvider(first)
  const isShared = providers.every((one) => describeProvider(one).api === api)
  return attachDescription(provider, isShared && api ? { ...description, api } : description)
}
