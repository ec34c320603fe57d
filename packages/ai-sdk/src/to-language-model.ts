import type {
  LanguageModelV3,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { type CallOptions, mergeDetails, type Provider } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import { defined } from '@modelport/driver'
import { readCall } from './call.js'
import { toApiCallError } from './errors.js'
import { toMetadata } from './own-options.js'
import { askWithoutRefused } from './refused-settings.js'
import { toFinishReason, toParts, toUsage, toWarnings } from './reply.js'
import { toReplyStream } from './reply-stream.js'
import { createSeal, leastSecretLength } from './seal.js'
import type { BySpecification } from './specification.js'

/** How a provider becomes a model of the AI SDK. */
export interface LanguageModelOptions<Specification extends 'v3' | 'v4'> {
  /** The specification of the model: `v3` is that of `ai` 6, `v4` that of `ai` 7. Default `v4`. */
  readonly specification?: Specification | undefined
  /**
   * Options of every call, under those that the AI SDK sets. Default: none, and nothing is sent
   * that the AI SDK leaves unset.
   */
  readonly defaults?: CallOptions | undefined
  /**
   * Addresses of files that the vendor fetches itself, by media type; the AI SDK downloads the
   * others and sends their bytes. Default: every `http:` and `https:` address.
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
 * our call options; `providerMetadata.modelport` has the details of the reply, and that of its last
 * part what the next request needs to replay it.
 * @throws {TypeError} an option is not known, or the secret is shorter than 32 characters.
 */
export function toLanguageModel<Specification extends 'v3' | 'v4' = 'v4'>(
  provider: Provider,
  options: LanguageModelOptions<Specification> = {},
): BySpecification<LanguageModelV3, LanguageModelV4>[Specification] {
  checkSettings('toLanguageModel', options, [
    'specification',
    'defaults',
    'supportedUrls',
    'secret',
  ])
  const {
    specification = 'v4' as Specification,
    defaults,
    supportedUrls = { '*/*': [/^https?:\/\//] },
    secret,
  } = options
  if (secret !== undefined && !(typeof secret === 'string' && secret.length >= leastSecretLength))
    throw new TypeError(
      `toLanguageModel: secret must be a text of at least ${leastSecretLength} characters that only your servers know`,
    )
  const seal = createSeal(secret)
  const { name, model: modelId } = provider
  // The symbol says that the model takes all our options.
  const model = { [Symbol.for('modelport.model')]: true, provider: name, modelId, supportedUrls }
  const v4: LanguageModelV4 = {
    ...model,
    specificationVersion: 'v4',
    doGenerate: async (call) => {
      const { messages, tools, options, warnings, set } = readCall(call, provider, defaults, seal)
      const { reply, warnings: left } = await askWithoutRefused(options, set, (taken) =>
        provider.generate(messages, { ...taken, ...(tools.length && { tools }) }),
      ).catch(rethrow)
      const details = mergeDetails(reply)
      return {
        content: toParts(reply.message, reply.text, details, seal),
        finishReason: toFinishReason(reply.finishReason, details.rawFinishReason),
        usage: toUsage(reply.usage),
        ...toMetadata(details),
        response: defined({ id: details.responseId, modelId: reply.message.origin?.model }),
        warnings: [...warnings, ...left, ...toWarnings(details.warnings)],
      }
    },
    doStream: async (call) => {
      const { messages, tools, options, warnings, set } = readCall(call, provider, defaults, seal)
      const { reply: reader, warnings: left } = await askWithoutRefused(options, set, (taken) =>
        provider.streamWithTools(messages, tools, taken),
      ).catch(rethrow)
      return {
        stream: toReplyStream(
          reader,
          [...warnings, ...left, ...toWarnings(reader.details().warnings)],
          seal,
          call.abortSignal,
        ),
      }
    },
  }
  const v3: LanguageModelV3 = {
    ...model,
    specificationVersion: 'v3',
    doGenerate: async (call) => {
      const reply = await v4.doGenerate(call as LanguageModelV4CallOptions)
      return { ...reply, content: reply.content.map(toFormerPart) } as LanguageModelV3GenerateResult
    },
    doStream: async (call) => {
      const { stream } = await v4.doStream(call as LanguageModelV4CallOptions)
      return {
        stream: stream.pipeThrough(
          new TransformStream({ transform: (part, to) => to.enqueue(toFormerPart(part)) }),
        ),
      }
    },
  }
  return { v3, v4 }[specification]
}

function rethrow(error: unknown): never {
  throw toApiCallError(error)
}

/** The part as `v3` has it: the data of a file stands by itself. */
const toFormerPart = (
  part: LanguageModelV4Content | LanguageModelV4StreamPart,
): LanguageModelV3StreamPart =>
  (part.type === 'file' && 'data' in part.data
    ? { ...part, data: part.data.data }
    : part) as LanguageModelV3StreamPart
