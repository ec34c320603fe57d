import {
  openaiChat,
  type ScriptTurn,
  type WireFormat,
  type WireResponse,
} from '@modelport/conformance'
import type { WireReply } from '@modelport/conformance/wire-server'
import type { JsonObject } from '@modelport/core'

/** A request as the model of the pages sees it. */
export interface DocRequest {
  readonly system: string
  readonly tools: readonly { readonly name: string; readonly parameters?: unknown }[]
  readonly messages: readonly { readonly role: string; readonly text?: string }[]
  /** The JSON Schema that the reply has to fit, if the request has one. */
  readonly schema?: unknown
}

/** What the model says: a text, or a call of a tool. */
export type DocReply =
  | { readonly text: string; readonly reasoning?: string }
  | { readonly tool: string; readonly args: JsonObject }

const samples: Readonly<Record<string, unknown>> = { city: 'Rome', temperature: 28 }

/** What it knows, by words of the last question. */
const knowledge: readonly (readonly [RegExp, string])[] = [
  [/sky blue/, 'The air scatters blue light more than red light.'],
  [/city in Italy/, 'Rome.'],
  [/^(?:Hello|Hi)\b/, 'Hello! How can I help?'],
  [/Count to/, '1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12'],
  [/(?:)/, 'It is 28 °C and sunny in Rome.'],
]
/** All that it says without a script. */
export const knownReplies = knowledge.map(([, text]) => text)
const prose = (messages: DocRequest['messages']): string => {
  const question = messages.findLast(({ role }) => role === 'user')?.text ?? ''
  return knowledge.find(([words]) => words.test(question))?.[1] ?? ''
}

/** A value that fits a schema: what a model would fill in. */
function fill(schema: unknown, name = ''): unknown {
  const { type, properties, items, anyOf, enum: choices } = (schema ?? {}) as Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- a JSON Schema
  if (Array.isArray(choices)) return choices[0]
  if (Array.isArray(anyOf)) return fill(anyOf[0], name)
  if (type === 'object' || properties)
    return Object.fromEntries(
      Object.entries((properties ?? {}) as object).map(([key, value]) => [key, fill(value, key)]),
    )
  if (type === 'array') return [fill(items)]
  if (name in samples) return samples[name]
  if (type === 'boolean') return true
  return type === 'number' || type === 'integer' ? 12 : 'Rome'
}

/**
 * A model for the pages. It says what the page scripts, a line a turn, the last one again and
 * again: `tool({"a":1})` is a call, `thought => text` reasoning before a text, all else is text.
 * Unscripted, it calls the first tool once if it is offered one, fills in a schema if it is given
 * one, and otherwise answers in prose: in the form of an action only if the system text asks for
 * that.
 */
export function createDocModel(): {
  script(replies: readonly string[]): void
  reply(request: DocRequest): DocReply
} {
  let replies: readonly string[] = []
  let next = 0
  const scripted = (line: string): DocReply => {
    const [, tool, args] = /^(\w+)\((\{.*\})\)$/.exec(line) ?? []
    const [, reasoning, text = line] = /^(.+) => (.+)$/.exec(line) ?? []
    return tool === undefined
      ? { text: text.replaceAll('\\n', '\n'), ...(reasoning !== undefined && { reasoning }) }
      : { tool, args: JSON.parse(args ?? '{}') as JsonObject }
  }
  return {
    script(lines) {
      replies = lines
      next = 0
    },
    reply({ system, tools, messages, schema }) {
      const line = replies[Math.min(next++, replies.length - 1)]
      if (line !== undefined) return scripted(line)
      if (system.includes('You work in steps'))
        return {
          text:
            messages.length > 1 || !system.includes('tool_call')
              ? JSON.stringify({ type: 'final', content: prose(messages) })
              : '{"type":"tool_call","tool":"get_weather","args":{"city":"Rome"}}',
        }
      const [tool] = tools
      if (tool && messages.every(({ role }) => role !== 'tool'))
        return { tool: tool.name, args: fill(tool.parameters) as JsonObject }
      return { text: schema === undefined ? prose(messages) : JSON.stringify(fill(schema)) }
    },
  }
}

/** The JSON Schema of a reply, wherever an API has it in its request. */
// oxlint-disable-next-line typescript/no-explicit-any -- the bodies of five APIs
const schemaOf = (body: any): unknown =>
  body?.response_format?.json_schema?.schema ??
  body?.text?.format?.schema ??
  body?.generationConfig?.responseJsonSchema ??
  body?.generationConfig?.responseSchema ??
  body?.output_config?.format?.schema ??
  (typeof body?.format === 'object' ? body.format : undefined)

/** A token for each word and mark of a text, five for a call, and seven for any reasoning. */
export const outputTokensOf = (reply: DocReply): number =>
  'text' in reply
    ? (reply.text.match(/\w+|[^\w\s]/g) ?? []).length + (reply.reasoning === undefined ? 0 : 7)
    : 5

/** Vectors of texts: how often each of a few words is in them. */
const embeddings = (texts: readonly string[]): WireResponse => {
  const words = ['rome', 'warm', 'july', 'stream', 'read', 'loop', 'is']
  const vector = (text: string): number[] =>
    words.map((word) => text.toLowerCase().split(word).length - 1)
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vector(text) }))
  const body = {
    object: 'list',
    model: 'my-embedding-model',
    data,
    usage: { prompt_tokens: 6 * texts.length, total_tokens: 6 * texts.length },
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(body)],
  }
}

/** The endpoint for embeddings, next to the formats for chats. */
export const embeddingsFormat: WireFormat = {
  ...openaiChat,
  api: 'openai-embeddings',
  matches: ({ path }) => path.endsWith('/embeddings'),
}

/** The model behind the APIs of a wire server. */
export const wireReply =
  (model: ReturnType<typeof createDocModel>): WireReply =>
  (request, { format }): ScriptTurn | WireResponse => {
    if (format.api === embeddingsFormat.api)
      return embeddings((request.body as { readonly input: readonly string[] }).input)
    const { system, tools, messages } = format.read(request)
    const reply = model.reply({ system, tools, messages, schema: schemaOf(request.body) })
    const usage = { inputTokens: 12, outputTokens: outputTokensOf(reply) }
    return 'text' in reply
      ? {
          ...(reply.reasoning !== undefined && { reasoning: [reply.reasoning] }),
          text: reply.text.match(/\s*\S+/g) ?? [''],
          finish: 'stop',
          usage: reply.reasoning === undefined ? usage : { ...usage, reasoningTokens: 7 },
        }
      : {
          toolCalls: [{ id: 'call_1', name: reply.tool, arguments: reply.args }],
          finish: 'tool-calls',
          usage,
        }
  }
