import type {
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import type { AssistantMessage, ChatMessage, Content, ContentPart, JsonObject, ToolCall } from '@modelport/core'
import { fromModelOutput, fromModelPart } from '@modelport/runtime'
import { type CarriedReply, carriedBy, ownOptions, pickOptions } from './own-options.ts'

type Message = LanguageModelV3Message | LanguageModelV4Message
type Parts<Role extends Message['role']> = Extract<Message, { role: Role }>['content']
type AssistantPart = Parts<'assistant'>[number]
type CallPart = Extract<AssistantPart, { type: 'tool-call' }>

/** A prompt of the AI SDK as a conversation of ours. */
export interface ReadPrompt {
  readonly messages: readonly ChatMessage[]
  /** Decisions on calls that the vendor executes, as items of its request. */
  readonly approvals: readonly JsonObject[]
}

/** Reads a prompt in either specification. `provider` is the one that is asked: files are found by its name. */
export function readPrompt(prompt: LanguageModelV3Prompt | LanguageModelV4Prompt, provider: string): ReadPrompt {
  const messages: ChatMessage[] = []
  const approvals: JsonObject[] = []
  const executed = new Set<string>()
  for (const message of prompt) {
    const fields = pickOptions(message.providerOptions, 'vendor', 'name')
    switch (message.role) {
      case 'system':
        messages.push({ role: 'system', content: message.content, ...fields })
        break
      case 'user':
        messages.push({ role: 'user', content: toContent(message.content, provider), ...fields })
        break
      case 'assistant':
        for (const part of message.content)
          if (part.type === 'tool-call' && part.providerExecuted) executed.add(part.toolCallId)
        messages.push({ ...toAssistantMessage(message.content, provider), ...fields })
        break
      case 'tool':
        for (const part of message.content) {
          if (part.type === 'tool-approval-response') approvals.push(toApproval(part))
          else if (!executed.has(part.toolCallId)) messages.push(toResult(part, provider))
        }
    }
  }
  return { messages, approvals }
}

type ResultPart = Extract<Parts<'tool'>[number], { type: 'tool-result' }>

const toResult = ({ toolCallId, toolName, output, providerOptions }: ResultPart, provider: string): ChatMessage => ({
  role: 'tool',
  toolCallId,
  toolName,
  content: '',
  ...fromModelOutput(output, provider),
  ...pickOptions(providerOptions, 'vendor'),
})

/** Text alone is a text, as `complete` sends it. */
function toContent(parts: Parts<'user'>, provider: string): Content {
  const content = parts.flatMap((part) => fromModelPart(part, provider) ?? [])
  const [first] = content
  return content.length === 1 && first?.type === 'text' && Object.keys(first).length === 2 ? first.text : content
}

/** The items of a decision: the one API whose calls wait for approval takes them in its input, next to the request. */
const toApproval = (part: {
  readonly approvalId: string
  readonly approved: boolean
  readonly reason?: string
}): JsonObject => ({
  type: 'mcp_approval_response',
  approval_request_id: part.approvalId,
  approve: part.approved,
  ...(part.reason !== undefined && { reason: part.reason }),
})

/** Calls that the vendor executed, and their results, are in the state of the reply; without it they are left out, as for another vendor. */
function toAssistantMessage(parts: Parts<'assistant'>, provider: string): AssistantMessage {
  const texts = { text: '', reasoning: '' }
  const files: ContentPart[] = []
  const toolCalls: ToolCall[] = []
  let carried: CarriedReply | undefined
  for (const part of parts) {
    carried = carriedBy(part.providerOptions) ?? carried
    if (part.type === 'text' || part.type === 'reasoning') texts[part.type] += part.text
    else if (part.type === 'file') files.push(...[fromModelPart(part, provider) ?? []].flat())
    else if (part.type === 'tool-call' && !part.providerExecuted) toolCalls.push(toToolCall(part))
  }
  const { text, reasoning } = texts
  return {
    role: 'assistant',
    content: files.length ? [...(text ? [{ type: 'text' as const, text }] : []), ...files] : text,
    ...(toolCalls.length && { toolCalls }),
    ...(reasoning && { reasoning }),
    ...carried,
  }
}

/** The call, with its arguments as the model wrote them unless the application changed them. */
function toToolCall({ toolCallId: id, toolName: name, input, providerOptions }: CallPart): ToolCall {
  const { argumentsText: written } = ownOptions(providerOptions)
  const given = typeof input === 'string' ? input : JSON.stringify(input)
  const argumentsText = typeof written === 'string' && says(written, given) ? written : given
  const values = tryParse(argumentsText)
  const isJsonObject = typeof values === 'object' && values !== null && !Array.isArray(values)
  return {
    id,
    name,
    argumentsText,
    arguments: isJsonObject ? (values as JsonObject) : {},
    ...(!isJsonObject && { error: 'not a JSON object' }),
  }
}

/** True if the arguments are still what the model wrote. The AI SDK keeps `{}` of those that are not JSON. */
function says(written: string, given: string): boolean {
  const values = tryParse(written)
  return values === undefined ? given === '{}' || given === written : JSON.stringify(values) === given
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
