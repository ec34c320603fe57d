import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { isObject } from '@modelport/core'

type V2Result = Awaited<ReturnType<LanguageModelV2['doGenerate']>>
type V2Part = V2Result['content'][number]
type V2StreamPart =
  Awaited<ReturnType<LanguageModelV2['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never
type Part = LanguageModelV4Content | LanguageModelV4StreamPart

/** The model for `ai` 6. */
export const toV3 = (model: LanguageModelV4): LanguageModelV3 =>
  withIdentity<LanguageModelV3>(model, {
    specificationVersion: 'v3',
    doGenerate: async (call) => {
      const reply = await model.doGenerate(call as LanguageModelV4CallOptions)
      return {
        ...reply,
        content: reply.content.map(withPlainFile),
      } as LanguageModelV3GenerateResult
    },
    doStream: async (call) => {
      const { stream, ...rest } = await model.doStream(call as LanguageModelV4CallOptions)
      return { ...rest, stream: mapStream(stream, (part) => [withPlainFile(part)]) }
    },
  })

/** The model for `ai` 5. */
export const toV2 = (model: LanguageModelV4): LanguageModelV2 =>
  withIdentity<LanguageModelV2>(model, {
    specificationVersion: 'v2',
    doGenerate: async (call) => {
      const { content, finishReason, usage, warnings, ...rest } = await model.doGenerate(
        fromV2Call(call),
      )
      return {
        ...rest,
        content: content.flatMap((part) => toV2Part(part) as readonly V2Part[]),
        finishReason: finishReason.unified,
        usage: toV2Usage(usage),
        warnings: toV2Warnings(warnings),
      } as V2Result
    },
    doStream: async (call) => {
      const { stream, ...rest } = await model.doStream(fromV2Call(call))
      return { ...rest, stream: mapStream(stream, toV2Part) }
    },
  })

/** The names of a model, which a model that is loaded later has only then. */
function withIdentity<Model extends object>(
  model: LanguageModelV4,
  former: Omit<Model, 'provider' | 'modelId' | 'supportedUrls'>,
): Model {
  const marks = Object.getOwnPropertyDescriptors(model)
  for (const name of ['specificationVersion', 'doGenerate', 'doStream'] as const)
    Reflect.deleteProperty(marks, name)
  return Object.defineProperties(former, marks) as Model
}

const mapStream = <To>(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  toParts: (part: LanguageModelV4StreamPart) => readonly To[],
): ReadableStream<To> =>
  stream.pipeThrough(
    new TransformStream({
      transform: (part, to) => {
        for (const one of toParts(part)) to.enqueue(one)
      },
    }),
  )

/** The part with the data of a file by itself. */
const withPlainFile = (part: Part): LanguageModelV3StreamPart =>
  (part.type === 'file' && 'data' in part.data
    ? { ...part, data: part.data.data }
    : part) as LanguageModelV3StreamPart

/** The call with what has other names since: tools of a vendor, and files in results. */
function fromV2Call(
  call: Parameters<LanguageModelV2['doGenerate']>[0],
): LanguageModelV4CallOptions {
  const { tools, ...rest } = call
  return {
    ...rest,
    ...(tools && {
      tools: tools.map((tool) =>
        tool.type === 'provider-defined' ? { ...tool, type: 'provider' } : tool,
      ),
    }),
  } as LanguageModelV4CallOptions
}

/** The part; nothing for what this specification does not have. */
function toV2Part(part: Part): readonly V2StreamPart[] {
  const plain = withPlainFile(part) as Part
  switch (plain.type) {
    case 'stream-start':
      return [{ ...plain, warnings: toV2Warnings(plain.warnings) }]
    case 'finish':
      return [
        {
          ...plain,
          usage: toV2Usage(plain.usage),
          finishReason: plain.finishReason.unified,
        } as V2StreamPart,
      ]
    case 'tool-result':
      // A result that the model brings is always of a tool that the vendor ran.
      return [{ ...plain, providerExecuted: true } as V2StreamPart]
    case 'tool-approval-request':
    case 'custom':
    case 'reasoning-file':
      return []
    default:
      return [plain as V2StreamPart]
  }
}

function toV2Usage({
  inputTokens,
  outputTokens,
}: Awaited<ReturnType<LanguageModelV4['doGenerate']>>['usage']): V2Result['usage'] {
  const { total: input } = inputTokens
  const { total: output } = outputTokens
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input === undefined || output === undefined ? undefined : input + output,
    reasoningTokens: outputTokens.reasoning,
    cachedInputTokens: inputTokens.cacheRead,
  }
}

const toV2Warnings = (warnings: readonly SharedV4Warning[]): V2Result['warnings'] =>
  warnings.map((warning) =>
    isObject(warning) && 'feature' in warning
      ? {
          type: 'unsupported-setting',
          setting: warning.feature,
          ...(warning.details !== undefined && { details: warning.details }),
        }
      : { type: 'other', message: warning.message },
  ) as V2Result['warnings']
