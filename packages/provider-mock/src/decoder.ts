import { type Decoder, parseJson, type Sink } from '@modelport/driver'
import type { MockRecord } from './wire.js'

/** Decodes the mock's own wire. */
export function createDecoder(sink: Sink): Decoder {
  const push = (record: MockRecord): void => {
    switch (record.type) {
      case 'text':
        sink.text(record.text)
        return
      case 'reasoning':
        sink.reasoning(record.text)
        return
      case 'call':
        sink.toolCall(record.index, { id: record.id, name: record.name, text: record.arguments })
        sink.endToolCall(record.index)
        return
      case 'end':
        sink.usage(record.usage)
        sink.finish(record.finish)
        return
      case 'error':
        sink.fail({ body: record })
    }
  }
  return {
    push: ({ data }) => {
      const records = parseJson<MockRecord | readonly MockRecord[]>(data)
      for (const record of [records].flat()) push(record)
    },
  }
}
