import { LlmError } from '@modelport/core'
import type { FrameFormat } from '@modelport/driver'
import { Crc32 } from '@smithy/core/checksum'
import { fromUtf8, toUtf8 } from '@smithy/core/serde'
import { EventStreamCodec } from '@smithy/eventstream-codec'

const codec = new EventStreamCodec(toUtf8, fromUtf8)

/** The type of an event, or of the failure that a message is about. */
const typeHeaders = [':event-type', ':exception-type'] as const

/**
 * Frames of the Amazon event stream as records: `event` is the type of the event or exception,
 * `data` the payload. A message of the type `error` has its code and text in headers. Checksums of
 * the prelude and of the message are verified; the first before the rest has come, since a damaged
 * length would wait for bytes that never come.
 * @see https://github.com/smithy-lang/smithy-typescript (`core/event-streams` 3.41.1, read
 * 2026-11-27)
 */
export const eventStreamFrames: FrameFormat = {
  headBytes: 12,
  lengthOf: (head) => {
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
    const checksum = new Crc32()
    checksum.update(head.subarray(0, 8))
    if (checksum.digestSync() !== view.getUint32(8))
      throw new LlmError('protocol', 'the checksum of a prelude in the event stream does not match')
    return view.getUint32(0)
  },
  decode: (frame) => {
    const { headers, body } = codec.decode(frame)
    const text = (name: string): string => String(headers[name]?.value ?? '')
    if (text(':message-type') === 'error')
      return {
        event: text(':error-code') || 'error',
        data: JSON.stringify({ message: text(':error-message') }),
      }
    const type = typeHeaders.map(text).find((one) => one) ?? ''
    // The decoder takes any name for a failure that ends so; the API adds exceptions.
    const isNamedSo = /exception$/i.test(type)
    const isException = text(':message-type') === 'exception'
    return { event: isException && !isNamedSo ? `${type}Exception` : type, data: body }
  },
}
