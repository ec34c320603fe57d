import type { ScriptTurn, WireConversation } from '@modelport/conformance'
import { noteOf, tasks, valueIn } from './tasks.ts'

/**
 * Names of the tools that search for tools: modelport's and, as its documentation names it, AI
 * SDK's.
 */
const searches = ['find_tools', 'search']

/**
 * What the model says to a request. It knows nothing but what was sent: it reads values in results,
 * notes each with its next call, searches for a tool that is not listed, and reads on where a
 * result was shortened. If it cannot continue, it says so and ends.
 */
export function replyTo(sent: WireConversation): Omit<ScriptTurn, 'usage' | 'finish'> {
  const task = tasks.find(({ name }) => name === sent.model)
  if (!task) return { text: [`There is no task ${sent.model}.`] }
  const said = sent.messages.flatMap((message) => (message.role === 'assistant' ? [message] : []))
  const notes = said.flatMap(({ text }) => (text ? [text] : []))
  const action = task.actions[notes.length]
  const last = sent.messages.at(-1)
  const name = said.at(-1)?.toolCalls[0]?.name ?? ''
  if (last?.role !== 'tool' || searches.includes(name)) return call(sent, notes.length, name)
  if (!action) return { text: ['There is nothing left to do.'] }
  const value = valueIn(last.text, action.entry)
  if (value) {
    const note = noteOf(action.entry, value)
    if (!task.actions[notes.length + 1]) return { text: [[...notes, note].join(' ')] }
    return { text: [note], ...call(sent, notes.length + 1, name) }
  }
  const handle = /read_result with the id "(\w+)"/.exec(last.text)?.[1]
  if (!handle || name === 'read_result') return { text: [`${action.entry} is nowhere.`] }
  return {
    toolCalls: [
      { id: idOf(sent), name: 'read_result', arguments: { id: handle, search: action.entry } },
    ],
  }
}

/** Calls the tool of an action, or looks for it. */
function call(
  sent: WireConversation,
  index: number,
  before: string,
): Omit<ScriptTurn, 'usage' | 'finish'> {
  const action = tasks.find(({ name }) => name === sent.model)?.actions[index]
  const has = (name: string): boolean => sent.tools.some((tool) => tool.name === name)
  if (action && has(action.tool))
    return { toolCalls: [{ id: idOf(sent), name: action.tool, arguments: action.arguments }] }
  const search = searches.find(has)
  if (!action || !search || searches.includes(before))
    return { text: [`${action?.tool} is not to be found.`] }
  return {
    toolCalls: [
      { id: idOf(sent), name: search, arguments: { query: action.tool.replaceAll('_', ' ') } },
    ],
  }
}

/** Counts on from the last call: the same on every run. */
const idOf = ({ messages }: WireConversation): string => {
  const last = messages.at(-1)
  return `call_${(last?.role === 'tool' ? Number(last.callId.slice(5)) : 0) + 1}`
}
