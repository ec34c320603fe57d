import { type ChatMessage, type ContentPart, LlmError } from '@modelport/core'
import { checkPartFields } from './check-fields.js'

/** What to write instead of the part types of other libraries. */
const elsewhere: Readonly<Record<string, string>> = {
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
  const given: unknown = content
  if (typeof given === 'string') return
  if (!Array.isArray(given)) {
    const found = given === null ? 'null' : typeof given
    refuse(
      `${where}: content must be text or a list of parts, not ${found}; write '' for a message without text (${role})`,
    )
  }
  for (const [index, part] of (given as readonly unknown[]).entries())
    checkPart(part, `${where}.content[${index}]`)
}

function checkPart(part: unknown, where: string): void {
  const { type, text, source } = Object(part) as Readonly<Record<string, unknown>>
  if (type === 'text') {
    if (typeof text !== 'string')
      refuse(`${where}: a text part must have the field text: { type: 'text', text: '...' }`)
  } else if (type === 'image' || type === 'audio' || type === 'file') {
    const {
      type: kind,
      data,
      url,
      id,
      origin,
    } = Object(source) as Readonly<Record<string, unknown>>
    const isFile = kind === 'file' && typeof id === 'string' && typeof origin === 'string'
    if (
      !isFile &&
      !(kind === 'base64' && typeof data === 'string') &&
      !(kind === 'url' && typeof url === 'string')
    )
      refuse(
        `${where}: a part of type "${type}" must have a source: { type: '${type}', source: toMediaSource(bytes, 'image/png') }, a URL in place of the bytes, or { type: 'file', id, origin } of an uploaded file`,
      )
  } else {
    const instead = elsewhere[String(type)]
    refuse(
      `${where}: unknown part type ${type === undefined ? 'undefined' : JSON.stringify(type)}; ${instead ? `write ${instead}` : "use 'text', 'image', 'audio' or 'file'"}`,
    )
  }
  checkPartFields(part as ContentPart, where)
}

/** The messages of a prompt. @throws {LlmError} `invalid-request` — it is not text. */
export function toPromptMessages(prompt: unknown): readonly ChatMessage[] {
  if (typeof prompt !== 'string')
    refuse(
      `the prompt must be text, not ${prompt === null ? 'null' : typeof prompt}; for messages use generate or streamWithHistory`,
    )
  return [{ role: 'user', content: prompt }]
}

function refuse(message: string): never {
  throw new LlmError('invalid-request', message)
}
