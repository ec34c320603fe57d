import { openaiChat, type ScriptTurn, scriptNamed, type WireFormat, type WireRequest } from '@modelport/conformance'
import { startWireServer, type WireServer, type WireServerOptions } from '@modelport/conformance/wire-server'
import { wireKey } from './wire-facts.ts'

const usage = { inputTokens: 21, outputTokens: 7 }
const say = (...text: readonly string[]): ScriptTurn => ({ text, finish: 'stop', usage })
const words = Array.from({ length: 12 }, (_, index) => `word ${index} `)

/** `/v1/embeddings` as a format: two numbers for each text, its length and its place. Given back in reverse, with their indices. */
const embeddings: WireFormat = {
  ...openaiChat,
  api: 'embeddings',
  matches: ({ method, path }) => method === 'POST' && path.endsWith('/v1/embeddings'),
  respond: (_, { body }) => {
    const { input } = body as { readonly input: readonly string[] }
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, index] })).reverse()
    const answer = {
      object: 'list',
      model: 'model',
      data,
      usage: { prompt_tokens: input.length, total_tokens: input.length },
    }
    return { status: 200, headers: { 'content-type': 'application/json' }, pieces: [JSON.stringify(answer)] }
  },
}

/** JSON that fits, if the request asked for it by a schema. */
const obey = ({ body }: WireRequest): ScriptTurn => {
  const { response_format: form } = body as {
    readonly response_format?: {
      readonly type?: string
      readonly json_schema?: { readonly schema?: { readonly required?: readonly string[] } }
    }
  }
  const required = form?.type === 'json_schema' ? form.json_schema?.schema?.required : undefined
  return say(
    required ? JSON.stringify(Object.fromEntries(required.map((name) => [name, 'Oslo']))) : 'I was not asked for JSON',
  )
}

const servers: Readonly<Record<string, Partial<WireServerOptions>>> = {
  text: { reply: scriptNamed('unicode').turns, chunking: 7 },
  tools: { reply: scriptNamed('parallel calls').turns },
  stalls: { reply: [say(...words)], fault: { stallAfterBytes: 900 } },
  refuses: { apiKey: 'another-key' },
  busy: { fault: { failTimes: 1, status: 503 } },
  moved: {
    reply: () => ({ status: 307, headers: { location: 'http://127.0.0.1:9/v1/chat/completions' }, pieces: [] }),
  },
  page: { fault: { html: true } },
  resets: { reply: [say(...words)], fault: { resetAfterBytes: 900 } },
  schema: { reply: obey },
  embeddings: { formats: [embeddings] },
}

/** The servers that the checks of wire-checks.ts ask, by name. Pages of any origin may. */
export async function startWireServers(): Promise<Readonly<Record<string, WireServer>>> {
  const start = async ([name, options]: readonly [string, Partial<WireServerOptions>]): Promise<
    [string, WireServer]
  > => [
    name,
    await startWireServer({ formats: [openaiChat], reply: [say('Hello')], apiKey: wireKey, cors: true, ...options }),
  ]
  return Object.fromEntries(await Promise.all(Object.entries(servers).map(start)))
}
