import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
} from '@ai-sdk/provider'
import { type CallOptions, mergeDetails, mergeOptions, type Provider } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import { defined } from '@modelport/driver'
import { readCall } from './call.js'
import { toApiCallError } from './errors.js'
import { toV2, toV3 } from './former-models.js'
import { LastResponse } from './last-response.js'
import { type LoadedSource, type ModelSource, toSource } from './model-source.js'
import { ours } from './own-options.js'
import { askWithoutRefused } from './refused-settings.js'
import { toFinishReason, toParts, toUsage, toWarnings } from './reply.js'
import { toReplyStream } from './reply-stream.js'
import { createSeal, leastSecretLength, type Seal } from './seal.js'
import type { BySpecification, SpecificationName } from './specification.js'
import { rulesOfProvider } from './vendors/rules-of-provider.js'

/** How a provider becomes a model of the AI SDK. */
export interface LanguageModelOptions<Specification extends SpecificationName> {
  /** The specification of the model: `v2` for `ai` 5, `v3` for `ai` 6. Default `v4`, for `ai` 7. */
  readonly specification?: Specification | undefined
  /**
   * Options of every call, under those that the AI SDK sets. Default: none, and nothing is sent
   * that the AI SDK leaves unset.
   */
  readonly defaults?: CallOptions | undefined
  /**
   * Addresses of files that the vendor fetches itself, by media type; the AI SDK downloads the
   * others and sends their bytes. Default: those of the vendor's own package; none if the API of
   * the provider is not known.
   */
  readonly supportedUrls?: Readonly<Record<string, RegExp[]>> | undefined
  /**
   * Seals the state of a reply, which a page may have until the next request: reasoning, calls that
   * the vendor executed, its container. A state without the seal is left out, with a warning. Give
   * a text of at least 32 characters that only your servers know, the same on each. Default: a key
   * of this process, so that a state is left out after a restart and on another server.
   */
  readonly secret?: string | undefined
}

/**
 * Any provider as a model of the AI SDK, for `generateText`, `streamText`, agents and what is built
 * on them. The AI SDK repeats calls, so each call is one request. `providerOptions.modelport` are
 * our call options; `providerMetadata.modelport` has the details of the reply, next to the metadata
 * that the package of the vendor has. The last part of a reply carries what the next request needs
 * to replay it. A function, such as `() => newProvider('openai:gpt-5.4')`, is called at the first
 * use.
 * @throws {TypeError} an option is not known, or the secret is shorter than 32 characters.
 */
export function toLanguageModel<Specification extends SpecificationName = 'v4'>(
  provider: ModelSource,
  options: LanguageModelOptions<Specification> = {},
): BySpecification<LanguageModelV2, LanguageModelV3, LanguageModelV4>[Specification] {
  checkSettings('toLanguageModel', options, [
    'specification',
    'defaults',
    'supportedUrls',
    'secret',
  ])
  const { specification = 'v4' as Specification, defaults, supportedUrls, secret } = options
  if (secret !== undefined && !(typeof secret === 'string' && secret.length >= leastSecretLength))
    throw new TypeError(
      `toLanguageModel: secret must be a text of at least ${leastSecretLength} characters that only your servers know`,
    )
  const model = toModel(toSource(provider), { defaults, supportedUrls, seal: createSeal(secret) })
  switch (specification) {
    case 'v2':
      return toV2(model) as ReturnType<typeof toLanguageModel<Specification>>
    case 'v3':
      return toV3(model) as ReturnType<typeof toLanguageModel<Specification>>
    default:
      return model as ReturnType<typeof toLanguageModel<Specification>>
  }
}

interface ModelSettings extends Pick<LanguageModelOptions<'v4'>, 'defaults' | 'supportedUrls'> {
  readonly seal: Seal
}

type SupportedUrls = Awaited<LanguageModelV4['supportedUrls']>

function toModel(
  source: LoadedSource,
  { defaults, supportedUrls, seal }: ModelSettings,
): LanguageModelV4 {
  const read = async (call: LanguageModelV4CallOptions) => {
    const provider = await source.load()
    return { provider, ...readCall(call, provider, defaults, seal) }
  }
  const urlsOf = (provider: Provider): SupportedUrls =>
    supportedUrls ?? rulesOfProvider(provider)?.supportedUrls ?? {}
  return {
    // The symbol says that the model takes all our options.
    [ours as never]: true,
    specificationVersion: 'v4',
    get provider() {
      return source.current?.name ?? 'modelport'
    },
    get modelId() {
      return source.current?.model ?? 'not loaded yet'
    },
    get supportedUrls() {
      return source.current ? urlsOf(source.current) : source.load().then(urlsOf)
    },
    doGenerate: async (call) => {
      const { provider, messages, tools, options, warnings, set, context } = await read(call)
      const response = new LastResponse()
      const { reply, warnings: left } = await askWithoutRefused(
        observed(options, response),
        set,
        (taken) => provider.generate(messages, { ...taken, ...(tools.length && { tools }) }),
      ).catch((error: unknown) => {
        throw toApiCallError(error, response)
      })
      const details = mergeDetails(reply)
      return {
        content: toParts(reply.message, reply.text, details, context),
        finishReason: toFinishReason(reply.finishReason, details, context),
        usage: toUsage(reply.usage),
        ...context.metadata(details, reply.usage),
        response: defined({
          id: details.responseId,
          modelId: reply.message.origin?.model,
          headers: response.headers,
        }),
        warnings: [...warnings, ...left, ...toWarnings(details.warnings)],
      }
    },
    doStream: async (call) => {
      const { provider, messages, tools, options, warnings, set, context } = await read(call)
      const response = new LastResponse()
      const { reply: reader, warnings: left } = await askWithoutRefused(
        observed(options, response),
        set,
        (taken) => provider.streamWithTools(messages, tools, taken),
      ).catch((error: unknown) => {
        throw toApiCallError(error, response)
      })
      return {
        stream: toReplyStream(
          reader,
          [...warnings, ...left, ...toWarnings(reader.details().warnings)],
          { context, response, signal: call.abortSignal },
        ),
        ...response.fields,
      }
    },
  }
}

const observed = (options: CallOptions, response: LastResponse): CallOptions =>
  mergeOptions(options, { retry: response.observe(options.retry ?? {}) })
