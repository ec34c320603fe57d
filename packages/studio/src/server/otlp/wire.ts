import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

type Read = (reader: BinaryReader) => unknown
/** The fields of a message by their numbers. */
type Fields = Readonly<Record<number, readonly [name: string, read: Read, isList?: true]>>

const text: Read = (reader) => reader.string()
const hex: Read = (reader) =>
  Array.from(reader.bytes(), (byte) => byte.toString(16).padStart(2, '0')).join('')
const int: Read = (reader) => String(reader.int64())
const time: Read = (reader) => String(reader.fixed64())
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
  5: ['arrayValue', message(() => ({ 1: ['values', anyValue, true] }))],
  6: ['kvlistValue', message(() => ({ 1: ['values', keyValue, true] }))],
}))
const keyValue = message(() => ({ 1: ['key', text], 2: ['value', anyValue] }))
const status = message(() => ({ 2: ['message', text], 3: ['code', int] }))
const span = message(() => ({
  ...{ 1: ['traceId', hex], 2: ['spanId', hex], 4: ['parentSpanId', hex], 5: ['name', text] },
  ...{
    7: ['startTimeUnixNano', time],
    8: ['endTimeUnixNano', time],
    9: ['attributes', keyValue, true],
  },
  15: ['status', status],
}))
const scopeSpans = message(() => ({ 2: ['spans', span, true] }))
const resource = message(() => ({ 1: ['attributes', keyValue, true] }))
const resourceSpans = message(() => ({
  1: ['resource', resource],
  2: ['scopeSpans', scopeSpans, true],
}))

/**
 * Reads an `ExportTraceServiceRequest` into the form that it has as JSON.
 * @throws {Error} the bytes are not such a message
 */
export const readRequest = (bytes: Uint8Array): unknown =>
  readMessage(bytes, { 1: ['resourceSpans', resourceSpans, true] })

function readMessage(bytes: Uint8Array, fields: Fields): Readonly<Record<string, unknown>> {
  const reader = new BinaryReader(bytes)
  const values: Record<string, unknown> = {}
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    const [name = '', read, isList] = fields[number] ?? []
    if (!read) reader.skip(wireType, number)
    else if (isList) ((values[name] ??= []) as unknown[]).push(read(reader))
    else values[name] = read(reader)
  }
  return values
}

/**
 * An `ExportTraceServiceResponse`: its field 1 is `partial_success`, with the number as field 1 and
 * the reason as field 2.
 */
export function writeResponse(rejected: number, reason: string): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter()
  if (!reason) return writer.finish()
  writer.tag(1, WireType.LengthDelimited).fork().tag(1, WireType.Varint).int64(rejected)
  return writer.tag(2, WireType.LengthDelimited).string(reason).join().finish()
}

/** A `Status` as RPC frameworks define it: its field 2 is the message. */
export const writeStatus = (reason: string): Uint8Array<ArrayBuffer> =>
  new BinaryWriter().tag(2, WireType.LengthDelimited).string(reason).finish()
