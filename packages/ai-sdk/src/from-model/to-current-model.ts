import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { LlmError } from '@modelport/core'

/** A model of `ai` 5, 6 or 7. */
export type AnyLanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4

type Former = LanguageModelV2 | LanguageModelV3
type FormerCall = Parameters<LanguageModelV2['doGenerate']>[0] &
  Parameters<LanguageModelV3['doGenerate']>[0]
type Loose = Readonly<Record<string, unknown>>

/**
 * The model in the specification of `ai` 7.
 * @throws {LlmError} `config` — it has none that is known.
 */
export function toCurrentModel(model: AnyLanguageModel): LanguageModelV4 {
  const version: string = model.specificationVersion
  if (model.specificationVersion === 'v4') return model
  if (version !== 'v2' && version !== 'v3')
    throw new LlmError(
      'config',
      `fromLanguageModel takes models of the specifications v2, v3 and v4, not ${version}; update @modelport/ai-sdk`,
    )
  return fromFormer(model)
}

const fromFormer = (model: Former): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: async (call) => {
    const reply = await model.doGenerate(toFormerCall(call, model))
    const { content, finishReason, usage, warnings, ...rest } = reply as Loose
    return {
      ...rest,
      content: (content as readonly object[]).map(toPart),
      ...toEnd({ finishReason, usage }),
      warnings: toWarnings(warnings),
    } as LanguageModelV4GenerateResult
  },
  doStream: async (call) => {
    const { stream, ...rest } = await model.doStream(toFormerCall(call, model))
    const parts = stream as ReadableStream<object>
    return {
      ...rest,
      stream: parts.pipeThrough(
        new TransformStream({
          transform: (part, to) => to.enqueue(toPart(part) as LanguageModelV4StreamPart),
        }),
      ),
    }
  },
})

/** The call: files by themselves, in results too, and tools of a vendor by their former name. */
function toFormerCall(
  { prompt, tools, reasoning, ...call }: LanguageModelV4CallOptions,
  { specificationVersion, provider }: Former,
): FormerCall {
  if (reasoning !== undefined)
    throw new LlmError(
      'unsupported',
      `${provider}: unsupported: models of specification ${specificationVersion} have no "reasoning"; set the field of its package in vendor, as its providerOptions`,
    )
  const isOldest = specificationVersion === 'v2'
  const type = isOldest ? 'provider-defined' : 'provider'
  return {
    ...call,
    prompt: prompt.map((message) => toFormerMessage(message, isOldest)),
    ...(tools && {
      tools: tools.map((tool) => (tool.type === 'provider' ? { ...tool, type } : tool)),
    }),
  } as FormerCall
}

function toFormerMessage(message: LanguageModelV4Prompt[number], isOldest: boolean): object {
  if (message.role === 'system') return message
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type === 'file') return { ...part, data: toPlainData(part.data) }
      if (part.type !== 'tool-result' || part.output.type !== 'content') return part
      const value = part.output.value.map((one) =>
        one.type === 'file' ? toResultFile(one, isOldest) : one,
      )
      return { ...part, output: { ...part.output, value } }
    }),
  }
}

type FileData = Extract<
  Extract<LanguageModelV4Prompt[number], { role: 'user' }>['content'][number],
  { type: 'file' }
>['data']

/** Bytes, an address or a text, as the former specifications have them. */
function toPlainData(data: FileData): unknown {
  switch (data.type) {
    case 'data':
      return data.data
    case 'url':
      return data.url
    case 'text':
      return new TextEncoder().encode(data.text)
    default:
      return Object.values(data.reference)[0]
  }
}

/** A file of a tool's result. The oldest specification takes bytes alone. */
function toResultFile(
  { mediaType, data }: { readonly mediaType: string; readonly data: FileData },
  isOldest: boolean,
): object {
  if (data.type === 'url' && !isOldest) return { type: 'file-url', url: String(data.url) }
  if (data.type === 'reference' && !isOldest) return { type: 'file-id', fileId: data.reference }
  if (data.type !== 'data') return { type: 'text', text: String(toPlainData(data)) }
  return { type: isOldest ? 'media' : 'file-data', data: data.data, mediaType }
}

/** A part of a reply or a stream in today's form. */
function toPart(part: object): object {
  const { type, data, ...rest } = part as Loose
  switch (type) {
    case 'file':
      return { ...rest, type, data: { type: 'data', data } }
    case 'stream-start':
      return { ...rest, type, warnings: toWarnings(rest['warnings']) }
    case 'finish':
      return { ...rest, type, ...toEnd(rest) }
    default:
      return part
  }
}

/** Why the reply ended and what it cost: a word and flat counts in the oldest specification. */
function toEnd({ finishReason, usage }: Loose): object {
  if (typeof finishReason !== 'string') return { finishReason, usage }
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens } = Object(
    usage,
  ) as Readonly<Record<string, number | undefined>>
  const unified = finishReason === 'unknown' ? 'other' : finishReason
  return {
    finishReason: { unified, raw: finishReason },
    usage: {
      inputTokens: { total: inputTokens, cacheRead: cachedInputTokens },
      outputTokens: { total: outputTokens, reasoning: reasoningTokens },
    },
  }
}

const toWarnings = (warnings: unknown): readonly object[] =>
  ((warnings ?? []) as readonly Loose[]).map((warning) => {
    const { type, setting, tool, details } = warning
    if (type !== 'unsupported-setting' && type !== 'unsupported-tool') return warning
    const { name = tool } = Object(tool) as { readonly name?: unknown }
    const feature = type === 'unsupported-setting' ? String(setting) : `tool ${String(name)}`
    return { type: 'unsupported', feature, ...(details !== undefined && { details }) }
  })
