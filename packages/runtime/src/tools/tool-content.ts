import type { Content, ContentPart } from '@modelport/core'
import { toWellFormed } from '../base/well-formed.js'

/** One for all copies of the package in a process. */
const brand = Symbol.for('modelport.tool-failure')

/**
 * An error of a tool with more than a message for the model: text, or parts such as a screenshot.
 * The result is marked as an error.
 */
export class ToolFailure extends Error {
  /** What the model will see. */
  readonly content: Content

  constructor(content: Content, options?: ErrorOptions) {
    super(
      typeof content === 'string'
        ? content
        : content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n'),
      options,
    )
    Object.defineProperty(this, brand, { value: true })
    this.content = content
  }
}
Object.defineProperty(ToolFailure.prototype, 'name', { value: 'ToolFailure' })

/**
 * True for any `ToolFailure`, even one of another copy of the package: a file of tools can have a
 * copy of its own, next to that of the program that loads the file.
 */
export function isToolFailure(error: unknown): error is ToolFailure {
  return error instanceof Error && brand in error
}

/**
 * The form of a tool's result for the model: a string as it is (half characters replaced), one
 * content part or a list of them as parts, anything else as JSON. Never throws: the tool has run,
 * so what cannot be written as JSON is described.
 */
export function toToolContent(value: unknown): Content {
  if (typeof value === 'string') return toWellFormed(value)
  if (isContentPart(value)) return [value]
  if (Array.isArray(value) && value.length > 0 && value.every(isContentPart)) return value
  try {
    const text: unknown = JSON.stringify(value, toJsonValue)
    return typeof text === 'string' ? text : 'null'
  } catch (error) {
    return `(the result cannot be written as JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown error'})`
  }
}

/** JSON for values that JSON cannot express, instead of the `{}` it would write. */
function toJsonValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value instanceof Map) return [...value.entries()] as unknown
  if (value instanceof Set) return [...(value as Set<unknown>)]
  if (value instanceof Error) return { name: value.name, message: value.message }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return `(${value.byteLength} bytes)`
  return value
}

function isContentPart(value: unknown): value is ContentPart {
  if (typeof value !== 'object' || value === null) return false
  const { type, text, source } = value as Readonly<Record<string, unknown>>
  if (type === 'text') return typeof text === 'string'
  return (type === 'image' || type === 'audio' || type === 'file') && isMediaSource(source)
}

function isMediaSource(source: unknown): boolean {
  if (typeof source !== 'object' || source === null) return false
  const { type, data, mediaType, url, id, origin } = source as Readonly<Record<string, unknown>>
  return type === 'base64'
    ? typeof data === 'string' && typeof mediaType === 'string'
    : type === 'file'
      ? typeof id === 'string' && typeof origin === 'string'
      : type === 'url' && typeof url === 'string'
}
