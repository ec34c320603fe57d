import type { LanguageModelV3, LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { type CallOptions, mergeDetails, type Provider } from '@modelport/core'
import { checkSettings } from '@modelport/core/settings'
import { type ModelCall, readCall, type Warning } from './call.ts'
import { toApiCallError } from './errors.ts'
import { ours, toMetadata } from './own-options.ts'
import { type EndReason, type ReplyPart, toFinishReason, toParts, toUsage } from './reply.ts'
import { type StreamPart, toReplyStream, toWarnings } from './reply-stream.ts'

/** How a provider becomes a model of the AI SDK. */
export interface LanguageModelOptions<Specification extends 'v3' | 'v4' = 'v3' | 'v4'> {
  /** The specification of the model: `v3` is that of `ai` 6, `v4` that of `ai` 7. Default `v4`. */
  readonly specification?: Specification | undefined
  /** Options of every call, under those that the AI SDK sets. Default: none, and nothing is sent that the AI SDK leaves unset. */
  readonly defaults?: CallOptions | undefined
  /**
   * Addresses of files that the vendor fetches itself, by media type; the AI SDK downloads the others and sends their bytes. Default: every
   * `http:` and `https:` address.
   */
  readonly supportedUrls?: Readonly<Record<string, RegExp[]>> | undefined
}

const known = ['specification', 'defaults', 'supportedUrls']

/**
 * Any provider as a model of the AI SDK, for `generateText`, `streamText`, agents and what is built on them. The AI SDK repeats calls, so each
 * call is one request. `providerOptions.modelport` are our call options; `providerMetadata.modelport` has the details of the reply, and that of its last
 * part what the next request needs to replay it.
 * @throws {TypeError} an option is not known.
 * @example
 * ```ts
 * import { toLanguageModel } from './index.ts'
 * import { createMock } from '@modelport/provider-mock'
 * import { generateText } from 'ai'
 *
 * const model = toLanguageModel(createMock({ responses: ['Hello'] }))
 * console.log((await generateText({ model, prompt: 'Hi' })).text)
 * ```
 *
 * ```text
 * Hello
 * ```
 */
export function toLanguageModel(
  provider: Provider,
  options: LanguageModelOptions<'v3'> & { readonly specification: 'v3' },
): LanguageModelV3
export function toLanguageModel(provider: Provider, options?: LanguageModelOptions<'v4'>): LanguageModelV4
export function toLanguageModel(
  provider: Provider,
  options: LanguageModelOptions = {},
): LanguageModelV3 | LanguageModelV4 {
  checkSettings('toLanguageModel', options, known)
  const { specification = 'v4', defaults, supportedUrls = { '*/*': [/^https?:\/\//] } } = options
  const model = { [ours]: true, provider: provider.name, modelId: provider.model, supportedUrls }
  const generate = (call: ModelCall): Promise<Reply> => generateReply(provider, call, defaults)
  const stream = (call: ModelCall): Promise<ReadableStream<StreamPart>> => streamReply(provider, call, defaults)
  const v4: LanguageModelV4 = {
    ...model,
    specificationVersion: 'v4',
    doGenerate: generate,
    doStream: async (call) => ({ stream: await stream(call) }),
  }
  const v3: LanguageModelV3 = {
    ...model,
    specificationVersion: 'v3',
    doGenerate: async (call) => {
      const reply = await generate(call)
      return { ...reply, content: reply.content.map(withPlainData) }
    },
    doStream: async (call) => ({ stream: (await stream(call)).pipeThrough(toPlainData()) }),
  }
  return specification === 'v3' ? v3 : v4
}

type Reply = Omit<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'warnings'> & {
  content: ReplyPart[]
  finishReason: EndReason
  warnings: Warning[]
}

async function generateReply(provider: Provider, call: ModelCall, defaults: CallOptions | undefined): Promise<Reply> {
  const { messages, tools, options, warnings } = readCall(call, provider, defaults)
  try {
    const reply = await provider.generate(messages, { ...options, ...(tools.length && { tools }) })
    const details = mergeDetails(reply)
    const { origin } = reply.message
    return {
      content: [...toParts(reply.message, reply.text, details)],
      finishReason: toFinishReason(reply.finishReason, details),
      usage: toUsage(reply.usage),
      ...toMetadata(details),
      response: {
        ...(details.responseId !== undefined && { id: details.responseId }),
        ...(origin && { modelId: origin.model }),
      },
      warnings: [...warnings, ...toWarnings(details.warnings)],
    }
  } catch (error) {
    throw toApiCallError(error)
  }
}

async function streamReply(
  provider: Provider,
  call: ModelCall,
  defaults: CallOptions | undefined,
): Promise<ReadableStream<StreamPart>> {
  const { messages, tools, options, warnings } = readCall(call, provider, defaults)
  try {
    return toReplyStream(await provider.streamWithTools(messages, tools, options), warnings, call.abortSignal)
  } catch (error) {
    throw toApiCallError(error)
  }
}

type Plain<Part> = Part extends { type: 'file' } ? Omit<Part, 'data'> & { data: string } : Part

/** The part as `v3` has it: the data of a file stands by itself. */
const withPlainData = <Part extends ReplyPart | StreamPart>(part: Part): Plain<Part> =>
  (part.type === 'file' ? { ...part, data: part.data.data } : part) as Plain<Part>

const toPlainData = (): TransformStream<StreamPart, Plain<StreamPart>> =>
  new TransformStream({
    transform: (part: StreamPart, controller: TransformStreamDefaultController<Plain<StreamPart>>) => {
      controller.enqueue(withPlainData(part))
    },
  })
