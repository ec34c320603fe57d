import type {
  AudioPart,
  ChatMessage,
  ContentPart,
  FilePart,
  ImagePart,
  TextPart,
  ToolDefinition,
} from '@modelport/core'
import { LlmError } from '@modelport/core'
import { namesOf, nearest } from '@modelport/core/settings'
import { checkDepth } from '../base/json-depth.js'

const toolNames = namesOf<ToolDefinition>({
  name: true,
  description: true,
  parameters: true,
  strict: true,
  deferred: true,
  callers: true,
  cache: true,
  vendor: true,
})

const partNames: Readonly<Record<ContentPart['type'], readonly string[]>> = {
  text: namesOf<TextPart>({ type: true, text: true, found: true, cache: true, vendor: true }),
  image: namesOf<ImagePart>({ type: true, source: true, detail: true, cache: true, vendor: true }),
  audio: namesOf<AudioPart>({ type: true, source: true, cache: true, vendor: true }),
  file: namesOf<FilePart>({
    type: true,
    source: true,
    name: true,
    clip: true,
    cache: true,
    vendor: true,
  }),
}

/** What to write instead of the fields of other libraries and of the wire. */
const insteadOf: Readonly<Record<string, string>> = {
  cacheControl: "cache: 'auto' or 'hour'",
  cache_control: "cache: 'auto' or 'hour'",
  cachePoint: "cache: 'auto' or 'hour'",
  providerOptions: 'vendor, with the fields as the API names them',
  providerMetadata: 'vendor, with the fields as the API names them',
}

const insteadOfToolField: Readonly<Record<string, string>> = {
  ...insteadOf,
  defer_loading: 'deferred: true',
  allowed_callers: "callers: ['code']",
  inputSchema: 'parameters',
  input_schema: 'parameters',
  inputExamples: 'vendor: { input_examples: [...] }',
  input_examples: 'vendor: { input_examples: [...] }',
}

const insteadOfPartField: Readonly<Record<string, string>> = {
  ...insteadOf,
  citations: 'vendor: { citations }',
  filename: 'name',
  title: 'name, or found: { url, title } for a search result',
}

/** Fields of messages that other libraries have, and that would be lost. */
const insteadOfMessageField: Readonly<Record<string, string>> = {
  ...insteadOf,
  cacheControl: "cache: 'auto' of its last part: content: [{ type: 'text', text, cache: 'auto' }]",
  cache_control: "cache: 'auto' of its last part: content: [{ type: 'text', text, cache: 'auto' }]",
  cachePoint: "cache: 'auto' of its last part: content: [{ type: 'text', text, cache: 'auto' }]",
  tool_calls: 'toolCalls: [{ id, name, arguments, argumentsText }]',
  function_call: 'toolCalls: [{ id, name, arguments, argumentsText }]',
  toolInvocations: 'toolCalls, and a message { role: "tool", toolCallId, content } for each result',
  tool_call_id: 'toolCallId',
  tool_use_id: 'toolCallId',
  tool_name: 'toolName',
  is_error: 'isError',
  reasoning_content: 'reasoning',
  thinking: 'reasoning',
  images: "a part of content: { type: 'image', source }",
  attachments: 'parts of content',
  experimental_attachments: 'parts of content',
  parts: 'content',
}

/**
 * Checks the tools of a call: a field that nothing reads is refused, so that what it asks for is
 * not lost in silence.
 * @throws {LlmError} `invalid-request` — names the tool, the field and what to write instead; or
 * the tool whose parameters are nested too deeply.
 */
export function checkTools(tools: readonly ToolDefinition[]): void {
  for (const tool of tools) {
    const where = `tool "${tool.name}"`
    checkNames(where, tool, toolNames, insteadOfToolField)
    checkDepth(where, tool.parameters)
    const callers: readonly unknown[] = tool.callers ?? []
    const stranger = callers.find((caller) => caller !== 'model' && caller !== 'code')
    if (stranger !== undefined)
      refuse(
        `${where}: callers may have "model" and "code", not ${JSON.stringify(stranger)}; for a tool of the vendor that runs code write "code"`,
      )
  }
}

/**
 * Checks the fields of a part whose form is right.
 * @throws {LlmError} `invalid-request` — names the field and what to write instead.
 */
export const checkPartFields = (part: ContentPart, where: string): void => {
  checkNames(where, part, partNames[part.type], insteadOfPartField)
}

/**
 * Checks the fields of a message. One that nothing knows is the caller's: it stays in the
 * transcript and reaches no wire. One by which other libraries say what would be lost is refused.
 * @throws {LlmError} `invalid-request` — names the field and what to write instead.
 */
export function checkMessageFields(message: ChatMessage, at: number): void {
  for (const name of Object.keys(message)) {
    if (!Object.hasOwn(insteadOfMessageField, name)) continue
    if (isEmpty(message[name as keyof ChatMessage])) continue
    const what = `messages[${at}]: the field "${name}" would be lost`
    refuse(`${what}; write ${insteadOfMessageField[name]}`)
  }
}

function checkNames(
  where: string,
  value: object,
  known: readonly string[],
  instead: Readonly<Record<string, string>>,
): void {
  const fields = value as Readonly<Record<string, unknown>>
  for (const name of Object.keys(fields)) {
    if (known.includes(name) || fields[name] === undefined) continue
    const near = nearest(name, known)
    const hint = Object.hasOwn(instead, name)
      ? `write ${instead[name]}`
      : near === undefined
        ? `known: ${known.join(', ')}; for a field of the vendor's own use vendor`
        : `did you mean "${near}"?`
    refuse(`${where}: unknown field "${name}"; ${hint}`)
  }
}

/** Other libraries write a field without a value as null or as an empty list. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

const refuse = (message: string): never => {
  throw new LlmError('invalid-request', message)
}
