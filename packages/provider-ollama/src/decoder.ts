import { asText, type FinishReason, LlmError, type TokenLogprob } from '@modelport/core'
import { type Decoder, parseJson, type Sink, type Turn, type WireRecord } from '@modelport/driver'
import { promptWarning } from './prompt-check.js'
import type { WireLogprob, WireReply, WireToolCall } from './wire.js'

const finishReasons = new Map(Object.entries<FinishReason>({ stop: 'stop', length: 'length' }))

/** Decodes replies of `/api/chat`: lines of a stream and a whole body have one form. */
export function createDecoder(sink: Sink, turn: Turn): Decoder {
  let calls = 0
  const toolCalls = (list: WireList<WireToolCall | null>): void => {
    for (const call of asList(list)) {
      const { name, arguments: value } = call?.function ?? {}
      // The wire's own index is missing in old versions and starts again in others: the order is
      // what holds.
      const key = calls++
      sink.toolCall(key, {
        id: asText(call?.id),
        name: asText(name),
        ...(typeof value === 'string' ? { text: value } : { value: value ?? {} }),
      })
      sink.endToolCall(key)
    }
  }
  const done = (reply: WireReply): void => {
    const counted = asCount(reply.prompt_eval_count)
    const output = asCount(reply.eval_count)
    if (counted !== undefined || output !== undefined) {
      sink.usage({
        inputTokens: counted,
        outputTokens: output,
        cacheReadTokens: asCount(reply.prompt_eval_cached_count),
      })
    }
    const { total_duration, load_duration, prompt_eval_duration, eval_duration } = reply
    const timings = Object.entries({
      total_duration,
      load_duration,
      prompt_eval_duration,
      eval_duration,
    }).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    if (timings.length) sink.details({ timings: Object.fromEntries(timings) })
    const warning = promptWarning(turn, counted)
    if (warning) sink.warning(warning)
    const reason = asText(reply.done_reason)
    if (reason) sink.finish(finishReasons.get(reason) ?? 'other', reason)
    sink.terminal()
  }
  return {
    push: (record: WireRecord) => {
      const reply = parseJson<WireReply | null>(record.data)
      if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) {
        throw new LlmError('protocol', `not a JSON object: ${record.data.slice(0, 100)}`)
      }
      if (reply.error) sink.fail({ body: reply })
      const { message } = reply
      sink.model(asText(reply.model))
      sink.reasoning(asText(message?.thinking))
      sink.text(asText(message?.content))
      for (const data of asList(message?.images))
        if (typeof data === 'string') sink.part(toImage(data))
      toolCalls(message?.tool_calls)
      if (reply.logprobs) sink.logprobs(toLogprobs(reply.logprobs))
      if (reply.done === true) done(reply)
    },
  }
}

const asCount = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined

const none: readonly never[] = []
type WireList<T> = readonly T[] | null | undefined

const asList = <T>(value: WireList<T>): readonly T[] =>
  Array.isArray(value) ? (value as readonly T[]) : none

function toLogprobs(list: WireList<WireLogprob | null>): TokenLogprob[] {
  return asList(list).flatMap((entry) => {
    if (typeof entry?.token !== 'string' || typeof entry.logprob !== 'number') return []
    const { token, logprob } = entry
    const top = toLogprobs(entry.top_logprobs).map((one) => ({
      token: one.token,
      logprob: one.logprob,
    }))
    return [{ token, logprob, ...(top.length && { top }) }]
  })
}

/** How the base64 of each image format begins. */
const signatures: readonly (readonly [string, string])[] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

function toImage(data: string): Parameters<Sink['part']>[0] {
  const mediaType =
    signatures.find(([start]) => data.startsWith(start))?.[1] ?? 'application/octet-stream'
  return { type: 'image', source: { type: 'base64', data, mediaType } }
}
