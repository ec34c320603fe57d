import {
  openaiChat,
  type ScriptTurn,
  scriptNamed,
  type WireFormat,
  type WireRequest,
} from '@modelport/conformance'
import { type FaultyServer, startFaultyServer } from '../support/faulty-server.ts'
import { wireKey } from './wire-facts.ts'

const usage = { inputTokens: 21, outputTokens: 7 }
const say = (...text: readonly string[]): ScriptTurn => ({ text, finish: 'stop', usage })
const words = Array.from({ length: 12 }, (_, index) => `word ${index} `)

/**
 * `/v1/embeddings` as a format: two numbers for each text, its length and its place. Given back in
 * reverse, with their indices.
 */
const embeddings: WireFormat = {
  ...openaiChat,
  api: 'embeddings',
  matches: ({ method, path }) => method === 'POST' && path.endsWith('/v1/embeddings'),
  respond: (_, { body }) => {
    const { input } = body as { readonly input: readonly string[] }
    const data = input
      .map((text, index) => ({ object: 'embedding', index, embedding: [text.length, index] }))
      .reverse()
    const answer = {
      object: 'list',
      model: 'model',
      data,
      usage: { prompt_tokens: input.length, total_tokens: input.length },
    }
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      pieces: [JSON.stringify(answer)],
    }
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
    required
      ? JSON.stringify(Object.fromEntries(required.map((name) => [name, 'Oslo'])))
      : 'I was not asked for JSON',
  )
}

type Options = Partial<Parameters<typeof startFaultyServer>[0]>

const servers: Readonly<Record<string, Options>> = {
  text: { reply: scriptNamed('unicode').turns, chunking: 7 },
  tools: { reply: scriptNamed('parallel calls').turns },
  stalls: { reply: [say(...words)], fault: { stallAfterBytes: 900 } },
  refuses: { apiKey: 'another-key' },
  busy: {
    reply: (_, { format, index }) =>
      index ? say('Hello') : format.failure(503, 'try again later'),
  },
  moved: {
    reply: () => ({
      status: 307,
      headers: { location: 'http://127.0.0.1:9/v1/chat/completions' },
      pieces: [],
    }),
  },
  page: {
    reply: () => ({
      status: 200,
      headers: { 'content-type': 'text/html' },
      pieces: ['<!doctype html><title>Sign in</title>'],
    }),
  },
  resets: { reply: [say(...words)], fault: { resetAfterBytes: 900 } },
  schema: { reply: obey },
  embeddings: { formats: [embeddings] },
}

/** The servers that the checks of wire-checks.ts ask, by name. Pages of any origin may. */
export async function startWireServers(): Promise<Readonly<Record<string, FaultyServer>>> {
  const start = async ([name, options]: readonly [string, Options]): Promise<
    [string, FaultyServer]
  > => [
    name,
    await startFaultyServer({
      formats: [openaiChat],
      reply: [say('Hello')],
      apiKey: wireKey,
      ...options,
    }),
  ]
  return Object.fromEntries(await Promise.all(Object.entries(servers).map(start)))
}
