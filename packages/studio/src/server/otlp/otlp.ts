import { isLlmError } from '@modelport/core'
import { readBody } from '../request-bodies.js'
import { type ReadTraces, readTraces } from './spans.js'
import { mostSpans, type Traces } from './traces.js'
import { readRequest, writeResponse, writeStatus } from './wire.js'

/**
 * Maximum bytes of a request, also when it is unpacked: the limit that the specification
 * recommends.
 */
const mostBytes = 20 * 1024 * 1024

const json = 'application/json'
const protobuf = 'application/x-protobuf'

/**
 * `POST /v1/traces` of OTLP/HTTP, in both encodings.
 * @see
 * https://github.com/open-telemetry/opentelemetry-proto/blob/03dcdb9/docs/specification.md#otlphttp
 */
export async function takeTraces(
  request: Request,
  traces: Traces,
  isAllowed: boolean,
): Promise<Response> {
  const [type = ''] = (request.headers.get('content-type') ?? '').toLowerCase().split(/[; ]/)
  const respond = (status: number, binary: Uint8Array<ArrayBuffer>, value: object): Response =>
    new Response(type === protobuf ? binary : JSON.stringify(value), {
      status,
      headers: {
        'content-type': type === protobuf ? protobuf : json,
        ...([429, 503].includes(status) && later),
      },
    })
  const refuse = (status: number, message: string): Response =>
    respond(status, writeStatus(message), { message })
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (!isAllowed)
    return refuse(
      403,
      'this is not the token of this studio; set OTEL_EXPORTER_OTLP_HEADERS to what it prints',
    )
  if (![json, protobuf].includes(type))
    return refuse(415, `the content type must be ${json} or ${protobuf}`)
  if (!['identity', 'gzip'].includes(encoding))
    return refuse(415, 'the content encoding must be gzip, or none')
  let read: ReadTraces
  try {
    const unpacked =
      encoding === 'gzip'
        ? request.body?.pipeThrough(new DecompressionStream('gzip'))
        : request.body
    const body = await readBody(unpacked, mostBytes)
    read = readTraces(
      type === protobuf ? readRequest(await body.bytes()) : JSON.parse(await body.text()),
    )
  } catch (error) {
    return isLlmError(error)
      ? refuse(413, error.message)
      : refuse(400, 'the body is not an ExportTraceServiceRequest')
  }
  const left = await traces.add(read.traces).catch((error: unknown) => String(error))
  if (typeof left === 'string') return refuse(503, `the spans could not be kept: ${left}`)
  if (left === undefined) return refuse(429, 'the studio has more spans than it can write now')
  const rejected = read.rejected + left
  const reason = read.reason || (left > 0 ? `a trace has at most ${mostSpans} spans here` : '')
  const partialSuccess = { rejectedSpans: String(rejected), errorMessage: reason }
  return respond(200, writeResponse(rejected, reason), reason ? { partialSuccess } : {})
}

const later = { 'retry-after': '1' }
