import type { ApprovalContent, InferContent, JsonValue, Part, PartType, RouteContent } from '@modelport/agent'
import { isObject } from '@modelport/core'
import type { Hydrator } from '../base/hydrate.js'
import { compactObject } from '../base/json.js'

/** The content of a part as it is sent: snake_case names for typed parts, everything else as it is. */
export function toPartContent(part: Part): JsonValue {
  switch (part.type) {
    case 'tool_call':
      return wire({ tool_name: part.content.toolName, args: part.content.args, call_id: part.content.callId })
    case 'tool_output': {
      const { callId, toolName, result, error } = part.content
      return wire({
        call_id: callId,
        tool_name: toolName,
        result,
        error: error === undefined ? undefined : { message: error },
      })
    }
    case 'infer': {
      const { prompt, user, outputSchema, metadata } = part.content
      return wire({ prompt, user, output_schema: outputSchema, metadata })
    }
    case 'error':
    case 'status':
      return wire({ ...part.content })
    case 'route':
    case 'decision': {
      const { routeKey, ...rest } = part.content
      return wire({ route_key: routeKey, ...rest })
    }
    case 'approval': {
      const { requestId, decidedBy, expiresAt, ...rest } = part.content
      return wire({ request_id: requestId, decided_by: decidedBy, expires_at: expiresAt, ...rest })
    }
    default:
      return part.content
  }
}

const wire = (value: object): JsonValue => compactObject(value) as Readonly<Record<string, JsonValue>>

const readers: Readonly<Partial<Record<PartType, (source: Hydrator) => unknown>>> = {
  tool_call: (source) => ({
    toolName: source.requiredString('tool_name'),
    args: source.object('args') ?? {},
    ...optional('callId', source.string('call_id')),
  }),
  tool_output: (source) => ({
    ...optional('callId', source.string('call_id')),
    ...optional('toolName', source.string('tool_name')),
    ...optional('result', source.raw('result')),
    ...optional('error', toErrorText(source.raw('error'))),
  }),
  infer: (source): InferContent => ({
    ...optional('prompt', source.string('prompt')),
    ...optional('user', source.string('user')),
    ...optional('outputSchema', source.object('output_schema')),
    ...optional('metadata', source.object('metadata')),
  }),
  error: (source) => ({
    code: source.string('code') ?? 'error',
    message: source.string('message') ?? '',
    retryable: source.boolean('retryable') ?? false,
  }),
  status: (source) => ({ state: source.requiredString('state'), ...optional('message', source.string('message')) }),
  route: readRoute,
  decision: readRoute,
  approval: (source): ApprovalContent => ({
    requestId: source.requiredString('request_id'),
    ...optional('approved', source.boolean('approved')),
    ...optional('decidedBy', source.string('decided_by')),
    ...optional('reason', source.string('reason')),
    ...optional('action', source.object('action')),
    ...optional('digest', source.string('digest')),
    ...optional('expiresAt', source.string('expires_at')),
    ...optional('uncertain', source.boolean('uncertain')),
    ...(source.raw('path') !== undefined && { path: source.strings('path') }),
  }),
}

/** The failure: a text, or `{ message }`. Any other value is written as JSON, so that nothing is lost. */
function toErrorText(error: unknown): string | undefined {
  if (error === undefined || error === null || typeof error === 'string') return error ?? undefined
  const keys = isObject(error) ? Object.keys(error) : []
  const isPlain = isObject(error) && keys.length === 1 && typeof error['message'] === 'string'
  return isPlain ? String(error['message']) : JSON.stringify(error)
}

function readRoute(source: Hydrator): RouteContent {
  const key = source.rawOf('route_key', 'route', 'key')
  if (typeof key !== 'string') source.report('route_key', 'Missing required field: one of route_key, route, key')
  return {
    routeKey: typeof key === 'string' ? key : '',
    ...optional('reason', source.string('reason')),
    ...optional('confidence', source.number('confidence')),
    ...optional('metadata', source.object('metadata')),
  }
}

const optional = <K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> =>
  (value === undefined ? {} : { [key]: value }) as Partial<Record<K, V>>

const texts: ReadonlySet<string> = new Set(['text', 'bytes', 'uri'])
const plain: ReadonlySet<string> = new Set(['json', 'infer_output', 'file', 'image'])

/** Reads the content of a part of a wire type; a type that is not known is kept whole. */
export function readPartContent(source: Hydrator, wireType: string, key: string): Part {
  if (texts.has(wireType)) {
    const content = source.string(key)
    if (content === undefined && source.raw(key) === undefined) source.report(key, 'Missing required field')
    return { type: wireType as 'text', content: content ?? '' }
  }
  const read = readers[wireType as PartType]
  const raw = source.raw(key)
  if (read) {
    const content = source.nested(key, read)
    if (content === undefined) source.report(key, 'Missing required field')
    return { type: wireType, content: content ?? {} } as Part
  }
  if (raw === undefined) source.report(key, 'Missing required field')
  const content = (raw ?? null) as JsonValue
  return plain.has(wireType) ? ({ type: wireType, content } as Part) : { type: 'other', wireType, content }
}

/** True for types whose content is spelled differently in the two forms. */
export const isTypedPart = (type: string): boolean => Object.hasOwn(readers, type)
