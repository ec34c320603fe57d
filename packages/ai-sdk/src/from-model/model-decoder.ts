import type {
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from '@ai-sdk/provider'
import { type Citation, isObject, type ReplyDetails, type TokenUsage } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { type Decoder, defined, parseJson, type Sink, type WireRecord } from '@modelport/driver'
import { fromModelPart } from '@modelport/runtime'
import { ownOptions } from '../own-options.js'
import type { ModelState } from './to-prompt.js'

type Part = LanguageModelV4StreamPart | LanguageModelV4Content
type KeptPart = ModelState['parts'][number]
type Block = Extract<KeptPart, { type: 'text' | 'reasoning' }>
interface WithMetadata {
  readonly providerMetadata?: SharedV4ProviderMetadata
}

/** Decodes the parts of a reply, one a record in a stream, all in one record in a whole reply. */
export class ModelDecoder implements Decoder {
  readonly #sink: Sink
  readonly #name: string
  readonly #blocks = new Map<string, Block>()
  /** The reply as parts of the next prompt; kept if they say more than its text and calls do. */
  readonly #state: KeptPart[] = []
  #isPlain = true
  readonly #written = new Set<string>()
  readonly #executed = new Map<string, object>()

  constructor(sink: Sink, name: string) {
    this.#sink = sink
    this.#name = name
  }

  push({ data }: WireRecord): void {
    for (const part of [parseJson<Part | readonly Part[]>(data)].flat()) this.#read(part)
  }

  #read(part: Part): void {
    const sink = this.#sink
    switch (part.type) {
      case 'text':
      case 'reasoning':
        this.#write({ ...part, id: '' }, part.type, part.text)
        this.#blocks.clear()
        return
      case 'text-start':
      case 'text-delta':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#write(
          part,
          part.type.startsWith('text') ? 'text' : 'reasoning',
          'delta' in part ? part.delta : '',
        )
        return
      case 'tool-input-start':
        if (!part.providerExecuted) sink.toolCall(part.id, { id: part.id, name: part.toolName })
        return
      case 'tool-input-delta':
        this.#written.add(part.id)
        sink.toolCall(part.id, { text: part.delta })
        return
      case 'tool-call':
        this.#call(part)
        return
      case 'tool-result':
        sink.providerToolCall({ id: part.toolCallId, name: part.toolName, data: part.result })
        this.#keep({ ...part, output: { type: 'json', value: part.result } }, part)
        return
      case 'tool-approval-request': {
        const data = { ...this.#executed.get(part.toolCallId), ...part }
        sink.providerToolCall({ id: part.approvalId, name: part.type, data })
        return
      }
      case 'file':
        this.#keep(part, part)
        for (const own of [fromModelPart(part, this.#name) ?? []].flat()) sink.part(own)
        return
      case 'source':
        sink.citation(toCitation(part))
        return
      case 'stream-start':
        for (const warning of part.warnings) sink.warning(wordsOf(warning))
        return
      case 'response-metadata':
        sink.model(part.modelId ?? '')
        sink.details({ responseId: part.id })
        return
      case 'finish':
        this.#finish(part)
        return
      case 'error':
        sink.fail({ body: part.error })
        return
      default: // What only one vendor reads, and marks of the stream, are left out.
    }
  }

  /** Text of a block, which begins with its first part. */
  #write(part: { readonly id: string } & WithMetadata, type: Block['type'], text: string): void {
    const key = `${type} ${part.id}`
    const block: Block = this.#blocks.get(key) ?? { type, text: '' }
    if (!this.#blocks.has(key)) this.#state.push(block)
    this.#blocks.set(key, block)
    block.text += text
    if (part.providerMetadata) block.providerOptions = part.providerMetadata
    this.#isPlain &&= !part.providerMetadata
    this.#sink[type](text)
  }

  #call(part: LanguageModelV4ToolCall): void {
    const { toolCallId: id, toolName: name, input, providerExecuted } = part
    this.#keep({ ...part, input: tryParseJson(input || '{}') ?? input }, part)
    if (providerExecuted) {
      this.#executed.set(id, part)
      this.#isPlain = false
      return
    }
    this.#sink.toolCall(id, { id, name, text: this.#written.has(id) ? undefined : input })
    this.#sink.endToolCall(id)
  }

  #keep(part: KeptPart, { providerMetadata }: WithMetadata): void {
    this.#state.push({ ...part, ...(providerMetadata && { providerOptions: providerMetadata }) })
    this.#isPlain &&= !providerMetadata && part.type !== 'file'
  }

  #finish({ finishReason, usage, providerMetadata }: Extract<Part, { type: 'finish' }>): void {
    const sink = this.#sink
    sink.usage(toCounts(usage))
    const { logprobs = [], ...details } = ownOptions(providerMetadata) as ReplyDetails
    sink.details(details)
    sink.logprobs(logprobs)
    if (!this.#isPlain) sink.state({ api: 'ai-sdk', parts: this.#state } satisfies ModelState)
    // The stream of the vendor ended before the reply: it was cut.
    if (finishReason.unified === 'interrupted') return
    sink.finish(finishReason.unified, finishReason.raw)
    sink.terminal()
  }
}

function toCitation({
  url,
  title,
  providerMetadata,
}: Pick<Citation, 'url' | 'title'> & WithMetadata): Citation {
  const { citation } = ownOptions(providerMetadata)
  return isObject(citation) ? citation : defined({ title, url })
}

/** The counts; all that ours had are in `raw`. */
function toCounts({
  inputTokens,
  outputTokens,
  raw,
}: LanguageModelV4Usage): Parameters<Sink['usage']>[0] {
  const { cost, costParts, inputByModality, outputByModality, providerToolCounts } = (raw ??
    {}) as Partial<TokenUsage>
  return {
    ...(typeof cost === 'number' && {
      cost,
      costParts,
      inputByModality,
      outputByModality,
      providerToolCounts,
    }),
    inputTokens: inputTokens.total,
    cacheReadTokens: inputTokens.cacheRead,
    cacheCreationTokens: inputTokens.cacheWrite,
    outputTokens: outputTokens.total,
    reasoningTokens: outputTokens.reasoning,
  }
}

const wordsOf = (warning: SharedV4Warning): string =>
  'message' in warning
    ? warning.message
    : `${warning.type}: ${warning.feature}${warning.details ? `: ${warning.details}` : ''}`
