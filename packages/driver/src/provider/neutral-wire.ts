import {
  type ErrorCode,
  type FinishReason,
  isLlmError,
  ProviderError,
  type TokenCounts,
  type TokenLogprob,
} from '@modelport/core'
import { errorText } from '@modelport/core/text'
import type { Decoder, HttpFailure, Sink } from '../base/driver.js'
import { parseJson } from '../base/parse-json.js'

/**
 * A record of the neutral wire, for replies that are made in this process: one a line in a stream,
 * a list of them in a whole reply.
 */
export type NeutralRecord =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** A part of a tool call; the call is whole unless `more` says that other parts follow. */
  | {
      readonly type: 'call'
      readonly index: number
      readonly id?: string
      readonly name?: string
      readonly arguments?: string
      readonly more?: true
    }
  | { readonly type: 'logprobs'; readonly tokens: readonly TokenLogprob[] }
  | { readonly type: 'warning'; readonly text: string }
  | {
      readonly type: 'end'
      readonly finish: FinishReason
      readonly raw?: string
      readonly usage: Partial<TokenCounts>
    }
  | { readonly type: 'error'; readonly code: ErrorCode; readonly message: string }

/** Where the records of a reply come from. */
export interface NeutralSource {
  /**
   * The next record, or undefined at the end. Called again only after it has settled. A rejection
   * becomes an `error` record.
   */
  next(): Promise<NeutralRecord | undefined>
  /** The reply is no longer wanted. */
  cancel(): void
}

/**
 * The result of `send`: a body that pulls one record for each read, as lines of a stream or as one
 * list. A list without an `end` record is left open, so that both forms are cut.
 */
export function toNeutralResponse(source: NeutralSource, stream: boolean): Response {
  const encoder = new TextEncoder()
  let last: NeutralRecord | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const over = last?.type === 'end' || last?.type === 'error'
        const record = over ? undefined : await nextRecord(source)
        if (record)
          controller.enqueue(
            encoder.encode(`${stream ? '' : last ? ',' : '['}${JSON.stringify(record)}\n`),
          )
        else if (over && !stream) controller.enqueue(encoder.encode(']'))
        if (!record) controller.close()
        last = record
      },
      cancel: () => {
        source.cancel()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body)
}

async function nextRecord(source: NeutralSource): Promise<NeutralRecord | undefined> {
  try {
    return await source.next()
  } catch (error) {
    const code = isLlmError(error) ? error.code : 'unknown'
    return { type: 'error', code, message: errorText(error) }
  }
}

/** Decodes the neutral wire. */
export function createNeutralDecoder(sink: Sink): Decoder {
  const push = (record: NeutralRecord): void => {
    switch (record.type) {
      case 'text':
        sink.text(record.text)
        return
      case 'reasoning':
        sink.reasoning(record.text)
        return
      case 'call':
        sink.toolCall(record.index, { id: record.id, name: record.name, text: record.arguments })
        if (!record.more) sink.endToolCall(record.index)
        return
      case 'logprobs':
        sink.logprobs(record.tokens)
        return
      case 'warning':
        sink.warning(record.text)
        return
      case 'end':
        sink.usage(record.usage)
        sink.finish(record.finish, record.raw)
        sink.terminal()
        return
      case 'error':
        sink.fail({ body: record })
    }
  }
  return {
    push: ({ data }) => {
      for (const record of [parseJson<NeutralRecord | readonly NeutralRecord[]>(data)].flat())
        push(record)
    },
  }
}

/** Names a failure of the neutral wire: the `error` of a driver that speaks it. */
export function toNeutralError(
  provider: string,
  { body }: Pick<HttpFailure, 'body'>,
): ProviderError {
  const { code = 'unknown', message = '' } = body as {
    readonly code?: ErrorCode
    readonly message?: string
  }
  return new ProviderError(
    code,
    message.startsWith(`${provider}: `) ? message : `${provider}: ${code}: ${message}`,
    {
      provider,
    },
  )
}
