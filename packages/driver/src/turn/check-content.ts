import { type ChatMessage, type ContentPart, LlmError } from '@modelport/core'
import { checkPartFields } from './check-fields.js'

/** What to write instead of the part types of other libraries. */
const replacements: Readonly<Record<string, string>> = {
  image_url: "{ type: 'image', source: { type: 'url', url } }",
  input_text: "{ type: 'text', text }",
  output_text: "{ type: 'text', text }",
  input_image: "{ type: 'image', source: { type: 'url', url } }",
  input_file: "{ type: 'file', source }",
  input_audio: "{ type: 'audio', source }",
  document: "{ type: 'file', source }",
  reasoning: 'the field `reasoning` of the assistant message',
  thinking: 'the field `reasoning` of the assistant message',
  'tool-call': 'the field `toolCalls` of the assistant message',
  tool_use: 'the field `toolCalls` of the assistant message',
  'tool-result': "a message { role: 'tool', toolCallId, content }",
  tool_result: "a message { role: 'tool', toolCallId, content }",
}

/**
 * Checks that a message has content of this library's form.
 * @throws {LlmError} `invalid-request` — names the message, what was found, and what to write
 * instead.
 */
export function checkContent({ role, content }: ChatMessage, where: string): void {
  const value: unknown = content
  if (typeof value === 'string') return
  if (!Array.isArray(value))
    refuse(
      `${where}: content must be text or a list of parts, not ${typeNameOf(value)}; write '' for a message without text (${role})`,
    )
  for (const [index, part] of (value as readonly unknown[]).entries())
    checkPart(part, `${where}.content[${index}]`)
}

function checkPart(part: unknown, where: string): void {
  const { type, text, source } = fieldsOf(part)
  if (type === 'text') {
    if (typeof text !== 'string')
      refuse(`${where}: a text part must have the field text: { type: 'text', text: '...' }`)
  } else if (type === 'image' || type === 'audio' || type === 'file') {
    if (!isSource(source))
      refuse(
        `${where}: a part of type "${type}" must have a source: { type: '${type}', source: toMediaSource(bytes, 'image/png') }, a URL in place of the bytes, or { type: 'file', id, origin } of an uploaded file`,
      )
  } else {
    const replacement = replacements[String(type)]
    const advice = replacement ? `write ${replacement}` : "use 'text', 'image', 'audio' or 'file'"
    const typeText = type === undefined ? 'undefined' : JSON.stringify(type)
    refuse(`${where}: unknown part type ${typeText}; ${advice}`)
  }
  checkPartFields(part as ContentPart, where)
}

function isSource(source: unknown): boolean {
  const { type, data, mediaType, url, id, origin } = fieldsOf(source)
  if (type === 'base64') return typeof data === 'string' && typeof mediaType === 'string'
  if (type === 'url') return typeof url === 'string'
  return type === 'file' && typeof id === 'string' && typeof origin === 'string'
}

/** The fields of a value; a value that is not an object has none. */
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  Object(value) as Readonly<Record<string, unknown>>

const typeNameOf = (value: unknown): string => (value === null ? 'null' : typeof value)

/** The messages of a prompt. @throws {LlmError} `invalid-request` — it is not text. */
export function toPromptMessages(prompt: unknown): readonly ChatMessage[] {
  if (typeof prompt !== 'string')
    refuse(
      `the prompt must be text, not ${typeNameOf(prompt)}; for messages use generate or streamWithHistory`,
    )
  return [{ role: 'user', content: prompt }]
}

function refuse(message: string): never {
  throw new LlmError('invalid-request', message)
}
