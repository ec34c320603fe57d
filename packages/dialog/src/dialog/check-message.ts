import { isObject } from '@modelport/core'
import { shown } from '../base/shown.js'

/** What is wrong with a stored message or turn, and where in it. */
export interface StoredProblem {
  readonly pointer: string
  readonly message: string
}

const roles = ['system', 'user', 'assistant', 'tool']
const partTypes = ['text', 'image', 'audio', 'file']

/** The problem of a field that is not what it should be. */
export const expected = (pointer: string, what: string, found: unknown): StoredProblem => ({
  pointer,
  message: `expected ${what}, found ${shown(found)}`,
})

/** Checks the fields of a stored message that every provider reads. */
export function checkMessage(message: unknown): StoredProblem | undefined {
  if (!isObject(message)) return expected('', 'a message', message)
  const { role, content, toolCalls, toolCallId } = message
  if (!roles.includes(role as string)) return expected('/role', `one of ${roles.join(', ')}`, role)
  const wrong = checkContent(content)
  if (wrong) return wrong
  if (role === 'tool' && typeof toolCallId !== 'string')
    return expected('/toolCallId', 'the id of the call that the result belongs to', toolCallId)
  if (role !== 'assistant' || toolCalls === undefined) return undefined
  if (!Array.isArray(toolCalls)) return expected('/toolCalls', 'a list of tool calls', toolCalls)
  return firstOf(toolCalls, '/toolCalls', checkCall)
}

function checkContent(content: unknown): StoredProblem | undefined {
  if (typeof content === 'string') return undefined
  if (!Array.isArray(content))
    return expected('/content', 'a text or a list of content parts', content)
  return firstOf(content, '/content', checkPart)
}

function checkPart(part: unknown): StoredProblem | undefined {
  if (!isObject(part)) return expected('', 'a content part', part)
  const { type, text, source } = part
  if (!partTypes.includes(type as string))
    return expected('/type', `one of ${partTypes.join(', ')}`, type)
  if (type === 'text')
    return typeof text === 'string' ? undefined : expected('/text', 'a text', text)
  return isObject(source) ? undefined : expected('/source', 'an object', source)
}

function checkCall(call: unknown): StoredProblem | undefined {
  if (!isObject(call)) return expected('', 'a tool call', call)
  const wrong = ['id', 'name', 'argumentsText'].find((key) => typeof call[key] !== 'string')
  if (wrong !== undefined) return expected(`/${wrong}`, 'a text', call[wrong])
  return isObject(call['arguments'])
    ? undefined
    : expected('/arguments', 'an object', call['arguments'])
}

/** The first problem of a list, with its place in it. */
function firstOf(
  list: readonly unknown[],
  pointer: string,
  check: (item: unknown) => StoredProblem | undefined,
): StoredProblem | undefined {
  for (const [index, item] of list.entries()) {
    const wrong = check(item)
    if (wrong) return { ...wrong, pointer: `${pointer}/${index}${wrong.pointer}` }
  }
  return undefined
}
