// The model behind every server of the grid. It is asked about the weather in Rome, and does what
// its request lets a model know: it calls the tool that it is offered, writes JSON only if it is
// held to JSON or asked for it, and thinks first if it is a model that thinks.
import type { ScriptTurn, WireConversation } from '@modelport/conformance'

/** What a model sees of a request, besides the conversation. */
export interface Question {
  readonly conversation: WireConversation
  /** What the server holds the reply to: a JSON Schema, any JSON, or a grammar. */
  readonly held?: { readonly schema?: unknown; readonly grammar?: string }
  readonly thinks: boolean
}

/** What every reply costs. */
const usage = { inputTokens: 10, outputTokens: 5 }
const question = 'How warm is it in Rome?'
const weather = { city: 'Rome', degrees: 28 }
const sentence = 'It is 28 degrees in Rome.'
/** Where the result of a search of tools begins. */
const found = 'These tools can be called now'
const summary = 'The user asks about the weather in Rome.'
/** A model that thinks needs this many tokens before its text begins. */
const thought = 20

/** The reply to a request. */
export function reply(asked: Question): ScriptTurn {
  const { conversation, held, thinks } = asked
  const { maxTokens = Infinity } = conversation
  const reasoning = thinks ? { reasoning: ['The user wants ', 'the weather.'] } : {}
  const counts = thinks ? { ...usage, reasoningTokens: 3 } : usage
  // A grammar holds the thought as well, and leaves nothing for the text.
  if (thinks && (maxTokens <= thought || held?.grammar !== undefined))
    return { ...reasoning, text: [], finish: 'length', usage: counts }
  const call = callOf(conversation)
  if (call)
    return {
      ...reasoning,
      toolCalls: [{ id: `call_${conversation.messages.length}`, ...call }],
      finish: 'tool-calls',
      usage: counts,
    }
  const words = textOf(asked).split(/(?<= )/)
  const room = thinks ? maxTokens - thought : maxTokens
  const finish = words.length > room ? 'length' : 'stop'
  return { ...reasoning, text: words.slice(0, room), finish, usage: counts }
}

const lastOf = ({ messages }: WireConversation): string => messages.at(-1)?.text ?? ''
const everythingIn = ({ system, messages }: WireConversation): string =>
  [system, ...messages.map(({ text }) => text)].join('\n')

/** What the model calls, until the result of a call is in the conversation. */
function callOf({ tools, messages }: WireConversation) {
  if (messages.some(({ role, text }) => role === 'tool' && !text.startsWith(found)))
    return undefined
  const offers = (wanted: string): boolean => tools.some(({ name }) => name === wanted)
  if (offers('get_weather')) return { name: 'get_weather', arguments: { city: 'Rome' } }
  if (offers('find_tools')) return { name: 'find_tools', arguments: { query: 'weather' } }
  if (offers('delegate_to_agent'))
    return { name: 'delegate_to_agent', arguments: { agent: 'weather', prompt: question } }
  return undefined
}

function textOf({ conversation, held }: Question): string {
  const all = everythingIn(conversation)
  const last = lastOf(conversation)
  if (conversation.system.startsWith('You shorten conversations'))
    return held ? JSON.stringify({ summary }) : summary
  if (held?.grammar !== undefined) return /"(\w+)"/.exec(held.grammar)?.[1] ?? sentence
  if (writesActions(all, held?.schema)) return JSON.stringify(action(all, held?.schema))
  if (isObject(held?.schema) && held.schema['properties'])
    return JSON.stringify(fitting(held.schema))
  if (held) return JSON.stringify(fitting(schemaIn(all)))
  if (last.includes('one and only one word from')) return /\bTrue\b/.test(last) ? 'True' : 'good'
  if (last.includes('<city>')) return '<city>Rome</city><degrees>28</degrees>'
  return /json/i.test(all) ? JSON.stringify(fitting(schemaIn(all))) : sentence
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const writesActions = (all: string, schema: unknown): boolean =>
  /"type": ?"final"/.test(all) || JSON.stringify(schema ?? '').includes('"final"')

/** One action in JSON: the tool first, if there is one, then the reply. */
function action(all: string, schema: unknown): object {
  const shown = all + JSON.stringify(schema ?? '')
  const isTold = all.includes('28 degrees')
  if (!isTold && shown.includes('get_weather'))
    return { type: 'tool_call', tool: 'get_weather', args: { city: 'Rome' } }
  if (!isTold && shown.includes('find_tools'))
    return { type: 'tool_call', tool: 'find_tools', args: { query: 'weather' } }
  if (!isTold && shown.includes('agent_call'))
    return { type: 'agent_call', agent: 'weather', action: 'infer', prompt: question }
  return {
    type: 'final',
    content: /must be JSON that fits|"degrees"/.test(all) ? JSON.stringify(weather) : sentence,
  }
}

/** The schema that a prompt shows. */
function schemaIn(text: string): unknown {
  const shown = /JSON Schema: (\{.*\})/.exec(text)?.[1]
  try {
    return shown === undefined ? undefined : (JSON.parse(shown) as unknown)
  } catch {
    return undefined
  }
}

/** A value for each field of the schema. */
function fitting(schema: unknown): object {
  if (!isObject(schema) || !isObject(schema['properties'])) return weather
  return Object.fromEntries(
    Object.entries(schema['properties']).map(
      ([name, field]) => [name, valueOf(name, field)] as const,
    ),
  )
}

function valueOf(name: string, field: unknown): unknown {
  if (isObject(field) && Array.isArray(field['enum'])) return field['enum'][0]
  return name in weather
    ? weather[name as keyof typeof weather]
    : name === 'summary'
      ? summary
      : sentence
}
