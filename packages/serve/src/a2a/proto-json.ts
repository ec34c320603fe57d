import { AgentError, type JsonValue, type Violation } from '@modelport/agent'
import { isObject, type JsonObject } from '@modelport/core'
import { checkJsonLimits, escapePointer } from '../base/hydrate.js'
import { kindOf } from '../base/json.js'
import { withoutEnd } from '../base/without-end.js'
import { enums, type FieldShape, shapes } from './shapes.js'
import type {
  A2aMessage,
  A2aSendRequest,
  A2aStreamResponse,
  A2aTask,
  A2aTaskState,
} from './types.js'

type Request<Fields = unknown> = Readonly<Fields & { tenant?: string }>

/** The messages that are decoded here, by name. */
export interface ProtoMessages {
  readonly Task: A2aTask
  readonly Message: A2aMessage
  readonly AgentCard: JsonObject
  readonly StreamResponse: A2aStreamResponse
  readonly SendMessageRequest: A2aSendRequest
  readonly SendMessageResponse: Pick<A2aStreamResponse, 'task' | 'message'>
  readonly GetTaskRequest: Request<{ id: string; historyLength?: number }>
  readonly CancelTaskRequest: Request<{ id: string; metadata?: JsonObject }>
  readonly SubscribeToTaskRequest: Request<{ id: string }>
  readonly ListTasksRequest: Request<{
    contextId?: string
    status?: A2aTaskState
    pageSize?: number
    pageToken?: string
    historyLength?: number
    statusTimestampAfter?: string
    includeArtifacts?: boolean
  }>
  readonly ListTasksResponse: Readonly<{
    tasks: readonly A2aTask[]
    nextPageToken: string
    pageSize: number
    totalSize: number
  }>
  readonly GetExtendedAgentCardRequest: Request
}

/** A decoded proto message: JSON names, unset fields absent. */
type ProtoObject = Readonly<Record<string, JsonValue>>

/**
 * Decodes ProtoJSON by the shapes of the proto: both spellings of a field name, `null` as unset,
 * numbers in text, unknown fields ignored.
 * @param name of the message, for example `SendMessageRequest`
 * @throws {AgentError} `invalid-params` — every violation, with its JSON pointer.
 */
export function decodeProto<K extends keyof ProtoMessages>(
  name: K,
  value: unknown,
): ProtoMessages[K] {
  checkJsonLimits(value)
  const violations: Violation[] = []
  const decoded = new Decoder(violations).message(name, value, '')
  const [first] = violations
  if (!first) return decoded as ProtoMessages[K]
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''
  throw new AgentError('invalid-params', `${name}${first.pointer}: ${first.message}${more}`, {
    violations,
  })
}

/** Required fields that name something: empty is not set. */
const identifying: ReadonlySet<string> = new Set(['id', 'messageId', 'taskId', 'artifactId', 'url'])

/** Maximum violations that are reported. */
const mostViolations = 20

class Decoder {
  readonly #violations: Violation[]

  constructor(violations: Violation[]) {
    this.#violations = violations
  }

  #report(pointer: string, message: string): void {
    if (this.#violations.length < mostViolations) this.#violations.push({ pointer, message })
  }

  message(name: string, value: unknown, pointer: string): ProtoObject {
    if (!isObject(value)) {
      this.#report(pointer, `expected an object (${name}), found ${kindOf(value)}`)
      return {}
    }
    const decoded: Record<string, JsonValue> = {}
    const members: string[] = []
    const fields = shapes.get(name) ?? []
    for (const field of fields) {
      const key = Object.hasOwn(value, field.name) ? field.name : field.protoName
      const raw = Object.hasOwn(value, key) ? value[key] : undefined
      const isUnset = raw === undefined || (raw === null && field.type !== 'Value')
      const inner = isUnset ? undefined : this.#field(field, raw, `${pointer}/${key}`)
      if (!isUnset && field.oneof) members.push(key)
      if (inner !== undefined) decoded[field.name] = inner
      if (field.required) this.#checkRequired(field, isUnset, inner, `${pointer}/${field.name}`)
    }
    this.#checkOneof(name, fields, members, pointer)
    return decoded
  }

  #checkRequired(
    field: FieldShape,
    isUnset: boolean,
    value: JsonValue | undefined,
    pointer: string,
  ): void {
    if (isUnset) this.#report(pointer, 'a required field is missing')
    else if (value === '' && identifying.has(field.name))
      this.#report(pointer, 'a required field must not be empty')
    else if (field.repeated && Array.isArray(value) && !value.length && field.name === 'parts')
      this.#report(pointer, 'at least one item is required')
    else if (typeof value === 'string' && value === enums[field.type]?.[0] && field.name === 'role')
      this.#report(pointer, `must be set to one of ${enums[field.type]?.slice(1).join(', ')}`)
  }

  #checkOneof(
    name: string,
    fields: readonly FieldShape[],
    members: readonly string[],
    pointer: string,
  ): void {
    const allowed = fields.filter(({ oneof }) => oneof)
    if (!allowed.length || members.length === 1) return
    const names = allowed.map((field) => field.name).join(', ')
    if (members.length > 1)
      this.#report(
        pointer,
        `${name} has ${members.join(' and ')}; exactly one of ${names} may be set`,
      )
    else this.#report(pointer, `${name} needs exactly one of ${names}`)
  }

  #field(field: FieldShape, value: unknown, pointer: string): JsonValue | undefined {
    if (field.repeated) {
      if (!Array.isArray(value)) {
        this.#report(pointer, `expected an array, found ${kindOf(value)}`)
        return
      }
      return value.map(
        (item, index) => this.#value(field.type, item, `${pointer}/${index}`) ?? null,
      )
    }
    if (!field.map) return this.#value(field.type, value, pointer)
    if (!isObject(value)) {
      this.#report(pointer, `expected an object, found ${kindOf(value)}`)
      return
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        this.#value(field.type, item, `${pointer}/${escapePointer(key)}`) ?? null,
      ]),
    )
  }

  #value(type: string, value: unknown, pointer: string): JsonValue | undefined {
    if (shapes.has(type)) return this.message(type, value, pointer)
    const found = decodeScalar(type, value)
    if (found !== undefined) return found
    this.#report(
      pointer,
      `expected ${expected[type] ?? `one of ${enums[type]?.join(', ')}`}, found ${shown(value)}`,
    )
  }
}

const expected: Readonly<Record<string, string>> = {
  string: 'a string',
  bool: 'a boolean',
  int32: 'a 32-bit integer',
  bytes: 'base64',
  Timestamp: 'an ISO 8601 time in UTC, for example 2026-01-02T03:04:05.678Z',
  Struct: 'an object',
  Value: 'a JSON value',
}

const shown = (value: unknown): string =>
  typeof value === 'object' ? kindOf(value) : JSON.stringify(value).slice(0, 80)

/** Replaces lone surrogates, so that stored and sent texts are always valid UTF-8. */
const toWellFormed = (value: string): string =>
  value.replaceAll(
    /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g,
    '\uFFFD',
  )

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** Decodes one value that is not a message; `undefined` if it does not have the type. */
function decodeScalar(type: string, value: unknown): JsonValue | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? toWellFormed(value) : undefined
    case 'bool':
      return typeof value === 'boolean' ? value : undefined
    case 'int32': {
      const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value
      return typeof number === 'number' &&
        Number.isInteger(number) &&
        Math.abs(number) <= 2 ** 31 - 1
        ? number
        : undefined
    }
    case 'bytes':
      return typeof value === 'string' &&
        base64.test(value) &&
        withoutEnd(value, '=').length % 4 !== 1
        ? normalizeBase64(value)
        : undefined
    case 'Timestamp':
      return typeof value === 'string' && timestamp.test(value) && !Number.isNaN(Date.parse(value))
        ? new Date(value).toISOString()
        : undefined
    case 'Struct':
      return isObject(value) ? (value as JsonValue) : undefined
    case 'Value':
      return value as JsonValue
    default:
      return decodeEnum(type, value)
  }
}

const normalizeBase64 = (value: string): string => {
  const plain = withoutEnd(value.replaceAll('-', '+').replaceAll('_', '/'), '=')
  return plain + '='.repeat((4 - (plain.length % 4)) % 4)
}

function decodeEnum(type: string, value: unknown): JsonValue | undefined {
  const names = enums[type] ?? []
  const name = typeof value === 'number' ? names[value] : value
  return typeof name === 'string' && names.includes(name) ? name : undefined
}
