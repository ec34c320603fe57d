import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

/** Reads the value of a field. */
type Read = (reader: BinaryReader) => unknown

/** Marks a field that may stand in a message more than once. */
const list = 'list'

/** A field: its name in JSON, and how its value is read. */
type Field = readonly [name: string, read: Read, repeats?: typeof list]

/** The fields of a message by their numbers. */
type Fields = Readonly<Record<number, Field>>

const text: Read = (reader) => reader.string()
const hex: Read = (reader) =>
  Array.from(reader.bytes(), (byte) => byte.toString(16).padStart(2, '0')).join('')
const int: Read = (reader) => String(reader.int64())
const time: Read = (reader) => String(reader.fixed64())

/** A message in a field. Its fields are read late: a value may have values of its own kind. */
const message =
  (fields: () => Fields): Read =>
  (reader) =>
    readMessage(reader.bytes(), fields())

/**
 * The messages of OTLP 1, as far as they are read.
 * @see
 * https://github.com/open-telemetry/opentelemetry-proto/blob/ac2c4b5/opentelemetry/proto/trace/v1/trace.proto,
 * and in the folders next to it common.proto, resource.proto and trace_service.proto
 */
const anyValue = message(() => ({
  1: ['stringValue', text],
  2: ['boolValue', (reader) => reader.bool()],
  3: ['intValue', int],
  4: ['doubleValue', (reader) => reader.double()],
  5: ['arrayValue', message(() => ({ 1: ['values', anyValue, list] }))],
  6: ['kvlistValue', message(() => ({ 1: ['values', keyValue, list] }))],
}))
const keyValue = message(() => ({ 1: ['key', text], 2: ['value', anyValue] }))
const status = message(() => ({ 2: ['message', text], 3: ['code', int] }))
const span = message(() => ({
  1: ['traceId', hex],
  2: ['spanId', hex],
  4: ['parentSpanId', hex],
  5: ['name', text],
  7: ['startTimeUnixNano', time],
  8: ['endTimeUnixNano', time],
  9: ['attributes', keyValue, list],
  15: ['status', status],
}))
const scopeSpans = message(() => ({ 2: ['spans', span, list] }))
const resource = message(() => ({ 1: ['attributes', keyValue, list] }))
const resourceSpans = message(() => ({
  1: ['resource', resource],
  2: ['scopeSpans', scopeSpans, list],
}))

/**
 * Reads an `ExportTraceServiceRequest` into the form that it has as JSON.
 * @throws {Error} the bytes are not such a message
 */
export const readRequest = (bytes: Uint8Array): unknown =>
  readMessage(bytes, { 1: ['resourceSpans', resourceSpans, list] })

function readMessage(bytes: Uint8Array, fields: Fields): Readonly<Record<string, unknown>> {
  const reader = new BinaryReader(bytes)
  const values: Record<string, unknown> = {}
  const lists: Record<string, unknown[]> = {}

  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    const field = fields[number]
    if (!field) {
      reader.skip(wireType, number)
      continue
    }

    const [name, read, repeats] = field
    const value = read(reader)
    if (repeats) (lists[name] ??= []).push(value)
    else values[name] = value
  }
  return { ...values, ...lists }
}

/**
 * An `ExportTraceServiceResponse`: its field 1 is `partial_success`, with the number as field 1 and
 * the reason as field 2.
 */
export function writeResponse(rejected: number, reason: string): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter()
  if (!reason) return writer.finish()

  writer.tag(1, WireType.LengthDelimited).fork()
  writer.tag(1, WireType.Varint).int64(rejected)
  writer.tag(2, WireType.LengthDelimited).string(reason)
  writer.join()
  return writer.finish()
}

/** A `Status` as RPC frameworks define it: its field 2 is the message. */
export const writeStatus = (reason: string): Uint8Array<ArrayBuffer> =>
  new BinaryWriter().tag(2, WireType.LengthDelimited).string(reason).finish()
