import type { JsonValue, Part, PartType } from '@modelport/agent'
import { isObject } from '@modelport/core'
import { toSnake } from '@modelport/core/text'
import type { Hydrator } from '../base/hydrate.js'
import { compactObject } from '../base/json.js'

type Reader = 'string' | 'requiredString' | 'boolean' | 'number' | 'object' | 'raw'

const route = { reason: 'string', confidence: 'number', metadata: 'object' } as const

/** The types of parts that have another name on the wire: what others send stays as it is. */
const wireNames: Readonly<Partial<Record<PartType, string>>> = { request: 'approval' }

const innerNames = new Map(Object.entries(wireNames).map(([inner, wire]) => [wire, inner]))

/** The type of a part on the wire. */
export const wireTypeOf = (part: Part): string =>
  part.type === 'other' ? part.wireType : (wireNames[part.type] ?? part.type)

/**
 * The fields of typed parts by their type on the wire, and how the {@link Hydrator} reads each. On
 * the wire their names are in snake_case.
 */
const fields: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  tool_call: { toolName: 'requiredString', args: 'object', callId: 'string' },
  tool_output: { callId: 'string', toolName: 'string', result: 'raw' },
  infer: { prompt: 'string', user: 'string', outputSchema: 'object', metadata: 'object' },
  error: { code: 'string', message: 'string', retryable: 'boolean' },
  status: { state: 'requiredString', message: 'string' },
  route,
  decision: route,
  approval: {
    requestId: 'requiredString',
    approved: 'boolean',
    decidedBy: 'string',
    reason: 'string',
    action: 'object',
    digest: 'string',
    expiresAt: 'string',
    uncertain: 'boolean',
    outcome: 'string',
    result: 'string',
    question: 'object',
    content: 'object',
  },
}

/**
 * The content of a part as it is sent: snake_case names for typed parts, everything else as it is.
 */
export function toPartContent(part: Part): JsonValue {
  const { type, content } = part
  if (type === 'other' || !isTypedPart(wireTypeOf(part))) return content as JsonValue
  const wire = Object.fromEntries(
    Object.entries(content as object).map(([name, value]) => [toSnake(name), value]),
  )
  if (type === 'tool_output' && content.error !== undefined)
    wire['error'] = { message: content.error }
  return compactObject(wire)
}

function readFields(source: Hydrator, type: string): object {
  const read = Object.entries(fields[type] ?? {}).map(([name, reader]) => [
    name,
    source[reader](toSnake(name)),
  ])
  const content = compactObject(Object.fromEntries(read) as object)
  switch (type) {
    case 'tool_call':
      return { args: {}, ...content }
    case 'tool_output':
      return { ...content, ...compactObject({ error: toErrorText(source.raw('error')) }) }
    case 'error':
      return { code: 'error', message: '', retryable: false, ...content }
    case 'route':
    case 'decision':
      return { routeKey: routeKeyOf(source), ...content }
    case 'approval':
      return {
        ...content,
        ...(source.raw('path') !== undefined && { path: source.strings('path') }),
      }
    default:
      return content
  }
}

/**
 * The failure: a text, or `{ message }`. Any other value is written as JSON, so that nothing is
 * lost.
 */
function toErrorText(error: unknown): string | undefined {
  if (error === undefined || error === null || typeof error === 'string') return error ?? undefined
  const keys = isObject(error) ? Object.keys(error) : []
  const isPlain = isObject(error) && keys.length === 1 && typeof error['message'] === 'string'
  return isPlain ? String(error['message']) : JSON.stringify(error)
}

function routeKeyOf(source: Hydrator): string {
  const key = source.rawOf('route_key', 'route', 'key')
  if (typeof key === 'string') return key
  source.report('route_key', 'Missing required field: one of route_key, route, key')
  return ''
}

const texts: ReadonlySet<string> = new Set(['text', 'bytes', 'uri'])
const plain: ReadonlySet<string> = new Set(['json', 'infer_output', 'file', 'image'])

/** Reads the content of a part of a wire type; a type that is not known is kept whole. */
export function readPartContent(source: Hydrator, wireType: string, key: string): Part {
  if (texts.has(wireType)) {
    const content = source.string(key)
    if (content === undefined && source.raw(key) === undefined)
      source.report(key, 'Missing required field')
    return { type: wireType as 'text', content: content ?? '' }
  }
  const raw = source.raw(key)
  if (isTypedPart(wireType)) {
    const content = source.nested(key, (inner) => readFields(inner, wireType))
    if (content === undefined) source.report(key, 'Missing required field')
    return { type: innerNames.get(wireType) ?? wireType, content: content ?? {} } as Part
  }
  if (raw === undefined) source.report(key, 'Missing required field')
  const content = (raw ?? null) as JsonValue
  return plain.has(wireType)
    ? ({ type: wireType, content } as Part)
    : { type: 'other', wireType, content }
}

/** True for types of the wire whose content is spelled differently in the two forms. */
export const isTypedPart = (wireType: string): boolean => Object.hasOwn(fields, wireType)
