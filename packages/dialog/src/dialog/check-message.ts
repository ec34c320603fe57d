import { isRecord } from '../parse/is-record.js'

/** What is wrong with a stored message, and where in it. */
export interface MessageProblem {
  readonly pointer: string
  readonly message: string
}

const roles = ['system', 'user', 'assistant', 'tool']
const parts = ['text', 'image', 'audio', 'file']

/** Checks the fields of a stored message that every provider reads. */
export function checkMessage(message: unknown): MessageProblem | undefined {
  if (!isRecord(message)) return { pointer: '', message: 'expected a message' }
  const { role, content, toolCalls, toolCallId } = message
  if (!roles.includes(role as string))
    return { pointer: '/role', message: `expected one of ${roles.join(', ')}, found ${JSON.stringify(role)}` }
  const wrong = checkContent(content)
  if (wrong) return wrong
  if (role === 'tool' && typeof toolCallId !== 'string')
    return { pointer: '/toolCallId', message: 'expected the id of the call that the result belongs to' }
  if (role !== 'assistant' || toolCalls === undefined) return undefined
  if (!Array.isArray(toolCalls)) return { pointer: '/toolCalls', message: 'expected a list of tool calls' }
  const at = toolCalls.findIndex((call: unknown) => !isCall(call))
  return at < 0
    ? undefined
    : {
        pointer: `/toolCalls/${at}`,
        message: 'expected id, name and argumentsText as texts, and arguments as an object',
      }
}

function checkContent(content: unknown): MessageProblem | undefined {
  if (typeof content === 'string') return undefined
  if (!Array.isArray(content)) return { pointer: '/content', message: 'expected a text or a list of content parts' }
  const at = content.findIndex(
    (part: unknown) =>
      !isRecord(part) ||
      !parts.includes(part['type'] as string) ||
      (part['type'] === 'text' ? typeof part['text'] !== 'string' : !isRecord(part['source'])),
  )
  return at < 0 ? undefined : { pointer: `/content/${at}`, message: `expected a part of type ${parts.join(', ')}` }
}

const isCall = (call: unknown): boolean =>
  isRecord(call) &&
  ['id', 'name', 'argumentsText'].every((key) => typeof call[key] === 'string') &&
  isRecord(call['arguments'])
