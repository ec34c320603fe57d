import type { LogprobsResult, LogprobsResultCandidate } from '@google/genai'
import {
  type ContentPart,
  type FinishReason,
  LlmError,
  type MediaSource,
  type TokenLogprob,
} from '@modelport/core'
import {
  type Decoder,
  defined,
  listOf,
  parseJson,
  type Sink,
  stringOf,
  type WireRecord,
} from '@modelport/driver'
import { groundingTool, toCitations } from './grounding.js'
import { ModelState } from './model-state.js'
import { PartialArguments } from './partial-arguments.js'
import { UsageReport } from './usage.js'
import type { WireCandidate, WireFunctionCall, WirePart, WireResponse } from './wire.js'

/** @see https://ai.google.dev/api/generate-content#FinishReason (read 2026-11-21) */
const finishReasons = new Map(
  Object.entries<FinishReason>({
    STOP: 'stop',
    MAX_TOKENS: 'length',
    CONTINUATION: 'pause',
    SAFETY: 'content-filter',
    RECITATION: 'content-filter',
    BLOCKLIST: 'content-filter',
    PROHIBITED_CONTENT: 'content-filter',
    SPII: 'content-filter',
    IMAGE_SAFETY: 'content-filter',
    IMAGE_PROHIBITED_CONTENT: 'content-filter',
    IMAGE_RECITATION: 'content-filter',
    MALFORMED_FUNCTION_CALL: 'error',
    UNEXPECTED_TOOL_CALL: 'error',
    TOO_MANY_TOOL_CALLS: 'error',
    MALFORMED_RESPONSE: 'error',
    MISSING_THOUGHT_SIGNATURE: 'error',
  }),
)

/** The numbers that mean the same in both APIs; further ones differ. */
const numberedReasons: readonly string[] = [
  'FINISH_REASON_UNSPECIFIED',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
  'OTHER',
]

interface OpenCall {
  readonly key: number
  readonly call: WireFunctionCall
  readonly signature: string | undefined
  readonly arguments: PartialArguments
}

/**
 * Decodes one reply: chunks of a stream, a whole body, or a body that holds all chunks in an array.
 */
export class GeminiDecoder implements Decoder {
  readonly #sink: Sink
  readonly #state = new ModelState()
  #calls = 0
  #open: OpenCall | undefined
  #safety: unknown
  /** True from a finish reason on, until the model continues. */
  #ended = false
  /** True while code or a tool that Google runs has no result yet. */
  #running = false
  #whole = false
  readonly #usage: UsageReport

  constructor(sink: Sink) {
    this.#sink = sink
    this.#usage = new UsageReport(sink)
  }

  push(record: WireRecord): void {
    // Gateways keep a stream of any API alive, and end it, with these.
    if (!record.data.startsWith('{') && /^\s*(\[DONE\]\s*)?$/.test(record.data)) return
    this.#whole = record.whole === true
    const value = parseJson<WireResponse | readonly WireResponse[]>(record.data)
    if (Array.isArray(value))
      for (const response of value as readonly WireResponse[]) this.#response(response)
    else this.#response(value as WireResponse)
  }

  end(): void {
    this.#interruptOpenCall()
    this.#usage.end()
    if (this.#safety) this.#sink.safety({ subject: 'reply', data: this.#safety })
    const { value } = this.#state
    if (value) this.#sink.state(value)
  }

  #response(response: WireResponse | null): void {
    if (typeof response !== 'object' || !response)
      throw new LlmError('protocol', 'google: protocol: a chunk is not a JSON object')
    const { error, modelVersion, usageMetadata, promptFeedback, candidates } = response
    if (error)
      this.#sink.fail({
        body: response,
        status: typeof error.code === 'number' ? error.code : undefined,
      })
    this.#sink.model(stringOf(modelVersion) ?? '')
    if (response.responseId) this.#sink.details({ responseId: stringOf(response.responseId) })
    if (usageMetadata) this.#usage.take(usageMetadata)
    if (promptFeedback?.safetyRatings?.length)
      this.#sink.safety({ subject: 'prompt', data: promptFeedback.safetyRatings })
    const blocked = promptFeedback?.blockReason
    if (blocked && !String(blocked).endsWith('UNSPECIFIED')) {
      this.#sink.finish('content-filter', String(blocked))
      this.#warn(promptFeedback.blockReasonMessage)
    }
    const all = listOf(candidates)
    const candidate = all[0]?.index ? all.find(({ index }) => !index) : all[0]
    if (candidate) this.#candidate(candidate)
  }

  #candidate(candidate: WireCandidate): void {
    const parts = listOf(candidate.content?.parts)
    // Code execution sends a finish reason in the middle of a reply.
    if (this.#ended && parts.some((part) => part.text !== '')) {
      this.#ended = false
      this.#sink.resume()
    }
    for (const part of parts) this.#part(part)
    const {
      groundingMetadata,
      citationMetadata,
      urlContextMetadata,
      logprobsResult,
      finishReason,
    } = candidate
    if (groundingMetadata ?? citationMetadata)
      for (const citation of toCitations(candidate)) this.#sink.citation(citation)
    if (groundingMetadata) {
      const name = groundingTool(groundingMetadata)
      if (name) this.#sink.providerToolCall({ name, data: groundingMetadata })
    }
    if (candidate.safetyRatings?.length) this.#safety = candidate.safetyRatings
    if (urlContextMetadata)
      this.#sink.providerToolCall({ name: 'url_context', data: urlContextMetadata })
    if (Number.isFinite(candidate.avgLogprobs))
      this.#sink.details({ averageLogprob: candidate.avgLogprobs })
    if (logprobsResult) this.#sink.logprobs(toLogprobs(logprobsResult))
    const raw =
      typeof finishReason === 'number'
        ? (numberedReasons[finishReason] ?? String(finishReason))
        : stringOf(finishReason)
    if (!raw || raw === 'FINISH_REASON_UNSPECIFIED') return
    const reason = finishReasons.get(raw) ?? 'other'
    // The model continues once it has the result.
    if (reason === 'stop' && this.#running && !this.#whole) return
    this.#ended = true
    if (reason === 'stop') this.#leaveOpenCall()
    else this.#interruptOpenCall()
    if (reason === 'pause' && candidate.continuationToken)
      this.#state.continueBy(candidate.continuationToken)
    // A pause without a token cannot be continued.
    this.#sink.finish(reason === 'pause' && !candidate.continuationToken ? 'length' : reason, raw)
    if (raw !== 'STOP') this.#warn(candidate.finishMessage)
  }

  #warn(message: unknown): void {
    const text = stringOf(message)
    if (text) this.#sink.warning(text)
  }

  #part(part: WirePart): void {
    if (part.functionCall) {
      this.#functionCall(part.functionCall, part)
      return
    }
    // An empty text, often that of the last chunk, does not show that the model went past the call.
    if (part.text !== '') this.#leaveOpenCall()
    this.#state.keep(part)
    const { text, inlineData, executableCode, codeExecutionResult, toolCall, toolResponse } = part
    if (typeof text === 'string') {
      if (part.thought) this.#sink.reasoning(text)
      else this.#sink.text(text)
    } else if (part.fileData && !part.thought) this.#file(part.fileData)
    const data = stringOf(inlineData?.data)
    if (data && !part.thought)
      this.#sink.part(
        toContentPart({ type: 'base64', data, mediaType: stringOf(inlineData?.mimeType) ?? '' }),
      )
    if (executableCode ?? toolCall) this.#running = true
    else if (codeExecutionResult ?? toolResponse) this.#running = false
    const code = executableCode ?? codeExecutionResult
    if (code) this.#sink.providerToolCall({ ...idOf(code), name: 'code_execution', data: part })
    const tool = toolCall ?? toolResponse
    if (tool)
      this.#sink.providerToolCall({
        ...idOf(tool),
        name: stringOf(tool.toolType)?.toLowerCase() ?? 'unknown',
        data: part,
      })
  }

  /** What was written to a storage of the caller's (`outputConfig`) instead of into the reply. */
  #file({ fileUri, mimeType }: NonNullable<WirePart['fileData']>): void {
    const url = stringOf(fileUri)
    const mediaType = stringOf(mimeType)
    if (url) this.#sink.part(toContentPart({ type: 'url', url, ...(mediaType && { mediaType }) }))
  }

  /** A call comes whole, or as a named piece that nameless ones continue. */
  #functionCall(call: WireFunctionCall, part: WirePart): void {
    const { willContinue } = call
    const name = stringOf(call.name)
    const id = stringOf(call.id)
    const partialArgs = listOf(call.partialArgs)
    if (name !== undefined) this.#leaveOpenCall()
    if (name !== undefined && !willContinue && !partialArgs.length) {
      const key = this.#calls++
      this.#state.keep(part)
      this.#sink.toolCall(key, { id, name, value: call.args ?? {} })
      this.#sink.endToolCall(key)
      return
    }
    if (name !== undefined) {
      const key = this.#calls++
      this.#open = {
        key,
        call,
        signature: part.thoughtSignature,
        arguments: new PartialArguments(),
      }
      this.#sink.toolCall(key, { id, name })
    }
    if (!this.#open)
      throw new LlmError(
        'protocol',
        'google: protocol: a function call without a name continues none',
      )
    this.#open.arguments.assign(call.args)
    for (const piece of partialArgs) this.#open.arguments.add(piece)
    if (!willContinue) this.#endOpenCall()
  }

  /**
   * The wire ended within a call: what came of it is kept as text, so that it is reported as
   * unfinished and never executed.
   */
  #interruptOpenCall(): void {
    if (!this.#open) return
    const { key, arguments: pieces } = this.#open
    this.#open = undefined
    this.#sink.toolCall(key, { text: JSON.stringify(pieces.value).replace(/\}$/, '') })
  }

  /**
   * The wire continues with something else without ending the call: the call is whole unless a
   * string of it is not.
   */
  #leaveOpenCall(): void {
    if (this.#open?.arguments.growing) this.#interruptOpenCall()
    else this.#endOpenCall()
  }

  #endOpenCall(): void {
    if (!this.#open) return
    const { key, call, signature, arguments: pieces } = this.#open
    this.#open = undefined
    const whole = { ...defined({ id: call.id, name: call.name }), args: pieces.value }
    this.#state.keepCall(whole, signature)
    this.#sink.toolCall(key, { value: pieces.value })
    this.#sink.endToolCall(key)
  }
}

const idOf = ({ id }: { readonly id?: string }): { readonly id?: string } =>
  stringOf(id) === undefined ? {} : { id: id as string }

function toContentPart(source: MediaSource): ContentPart {
  const [kind] = (source.mediaType ?? '').split('/')
  return { type: kind === 'image' || kind === 'audio' ? kind : 'file', source }
}

function toLogprobs({ chosenCandidates, topCandidates }: LogprobsResult): TokenLogprob[] {
  const tops = listOf(topCandidates)
  const toLogprob = ({
    token = '',
    logProbability: logprob,
  }: LogprobsResultCandidate): TokenLogprob[] =>
    typeof logprob === 'number' ? [{ token, logprob }] : []
  return listOf(chosenCandidates).flatMap((chosen, index) => {
    const top = tops[index] && listOf(tops[index].candidates).flatMap(toLogprob)
    return toLogprob(chosen).map((one) => ({ ...one, ...(top && { top }) }))
  })
}
