import { readFileSync } from 'node:fs'
import path from 'node:path'
import {
  type ErrorCode,
  isLlmError,
  type Provider,
  type ProviderError,
  type ToolCall,
  type ToolStreamReader,
} from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { ownCases } from './own-corpus.js'
import { random } from './seed.js'

const named = process.env['MODELPORT_CORPUS']

/**
 * Folder of a larger corpus of recorded exchanges, if one is named; its format is
 * {@link CorpusCase}. See docs/testing.md.
 */
export const largeCorpus: string | undefined = named === '' ? undefined : named

/** The fields of a recorded usage object that decide what the counts of the corpus leave out. */
interface RawUsage {
  readonly total_tokens?: number
  readonly prompt_tokens_details?: { readonly audio_tokens?: number } | null
  readonly iterations?: readonly {
    readonly type: string
    readonly input_tokens: number
    readonly output_tokens: number
    readonly cache_read_input_tokens: number
    readonly cache_creation_input_tokens: number
  }[]
}

export interface CorpusCase {
  readonly id: string
  readonly api: string
  readonly vendor: string
  readonly streaming?: boolean
  readonly strict: boolean
  readonly looseReasons: readonly string[]
  readonly features: readonly string[]
  readonly request: {
    readonly path: string
    readonly recorded: boolean
    readonly body: { readonly model?: string }
  }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly framing: 'sse' | 'ndjson' | 'json' | 'json-array'
    readonly body: string
  }
  readonly expected: {
    readonly text: string
    readonly reasoningText: string
    readonly refusalText: string
    readonly toolCalls: readonly {
      readonly id: string | null
      readonly name: string
      readonly arguments: unknown
      readonly argumentsRaw: string | null
      readonly argumentsMalformed?: boolean
      readonly custom?: boolean
    }[]
    readonly finishReason: string | null
    readonly usage: {
      readonly input: number
      readonly output: number
      readonly cacheRead: number
      readonly cacheWrite: number
      readonly reasoning: number | null
      readonly toolUsePrompt?: number
    } | null
    readonly usageRaw: RawUsage | null
    readonly legacyFunctionCall?: { readonly name: string; readonly arguments: string } | null
    readonly terminated: boolean
    readonly error: {
      readonly status: number
      readonly message: string
      readonly retryAfter: string | null
      readonly midStream: boolean
    } | null
  }
}

/**
 * Cases of one API; `core` limits the large corpus to its quick suite. The repository's own is
 * quick as a whole.
 */
export function corpusCases(api: string, options: { core?: boolean } = {}): CorpusCase[] {
  const cases =
    largeCorpus === undefined ? ownCases(api) : largeCases(largeCorpus, api, options.core === true)
  if (!cases.length) throw new Error(`the corpus has no case of ${api}`)
  return cases
}

function largeCases(folder: string, api: string, quick: boolean): CorpusCase[] {
  const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
  const core = new Set(quick ? (read('core.json') as string[]) : [])
  const rows = (read('index.json') as { id: string; api: string }[]).filter(
    (row) => row.api === api && (!quick || core.has(row.id)),
  )
  return rows.map((row) => read(`cases/${row.id}.json`) as CorpusCase)
}

/** How a body is cut into chunks. */
export type Cut = 'whole' | 'byte' | { readonly seed: number }

/** Chunks of a body; random cuts prefer places inside characters and line ends. */
export function cutBytes(bytes: Uint8Array, cut: Cut): Uint8Array[] {
  if (cut === 'whole') return [bytes]
  const chunks: Uint8Array[] = []
  const next = cut === 'byte' ? () => 0 : random(cut.seed)
  for (let start = 0; start < bytes.length; ) {
    let end = start + 1
    if (cut !== 'byte') {
      end = Math.min(
        bytes.length,
        start + 1 + Math.floor(next() * (next() < 0.15 ? 700 : next() < 0.5 ? 48 : 9)),
      )
      for (let k = start + 1; next() < 0.6 && k < Math.min(bytes.length, start + 200); k++) {
        const nasty =
          ((bytes[k] ?? 0) & 0xc0) === 0x80 ||
          (bytes[k] === 10 && (bytes[k - 1] === 13 || bytes[k - 1] === 10))
        if (nasty && next() < 0.5) {
          end = k
          break
        }
      }
    }
    chunks.push(bytes.subarray(start, end))
    start = end
  }
  return chunks
}

/** A `fetch` that answers every request with the case, and counts the requests. */
export function corpusFetch(recorded: CorpusCase, cut: Cut): Fetch & { requests: number } {
  const { status, headers, body } = recorded.response
  const bytes = new TextEncoder().encode(body)
  const fetch = (): Promise<Response> => {
    fetch.requests++
    const chunks = cutBytes(bytes, cut)
    let index = 0
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const chunk = chunks[index++]
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
    })
    return Promise.resolve(new Response(stream, { status, headers }))
  }
  fetch.requests = 0
  return fetch
}

/** What a decoded case came to, in the terms of the corpus. */
export interface Outcome {
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: string | undefined
  readonly usage:
    | {
        readonly input: number
        readonly output: number
        readonly cacheRead: number
        readonly cacheWrite: number
        readonly reasoning: number
      }
    | undefined
  readonly error?: {
    readonly code: ErrorCode
    readonly status: number | undefined
    readonly message: string
  }
}

/**
 * Runs a case through a provider: as a stream with tools when it was recorded as one, else as one
 * whole reply.
 */
export async function decodeCase(recorded: CorpusCase, provider: Provider): Promise<Outcome> {
  const prompt = [{ role: 'user' as const, content: '(recorded)' }]
  const options = { retry: { attempts: 1 } }
  try {
    if (recorded.streaming) return await drain(await provider.streamWithTools(prompt, [], options))
    const answer = await provider.generate(prompt, options)
    return {
      text: answer.text,
      reasoning: answer.reasoning ?? '',
      toolCalls: answer.toolCalls,
      finishReason: answer.finishReason,
      usage: toOutcomeUsage(answer.usage),
    }
  } catch (error) {
    if (!isLlmError(error)) throw error
    const { status, partial, code, message } = error as ProviderError
    return {
      text: partial?.text ?? '',
      reasoning: partial?.reasoning ?? '',
      toolCalls: partial?.toolCalls ?? [],
      finishReason: partial?.finishReason,
      usage: partial && toOutcomeUsage(partial.usage),
      error: { code, status, message },
    }
  }
}

async function drain(reader: ToolStreamReader): Promise<Outcome> {
  let text = ''
  let reasoning = ''
  let finishReason: string | undefined
  const toolCalls: ToolCall[] = []
  for await (const event of reader) {
    if (event.type === 'text-delta') text += event.text
    else if (event.type === 'reasoning-delta') reasoning += event.text
    else if (event.type === 'tool-call-complete') toolCalls.push(event.toolCall)
    else if (event.type === 'turn-end') finishReason = event.reason
  }
  return { text, reasoning, toolCalls, finishReason, usage: toOutcomeUsage(reader.usage()) }
}

const toOutcomeUsage = (usage: ReturnType<ToolStreamReader['usage']>): Outcome['usage'] =>
  usage.reported
    ? {
        input: usage.inputTokens,
        output: usage.outputTokens,
        cacheRead: usage.cacheReadTokens,
        cacheWrite: usage.cacheCreationTokens,
        reasoning: usage.reasoningTokens,
      }
    : undefined

const show = (value: unknown): string =>
  ((JSON.stringify(value) as string | undefined) ?? 'nothing').slice(0, 300)

/** True for a stream that ends without an end and without an error: the reply is cut off. */
export const isCut = ({ expected }: CorpusCase): boolean => !expected.terminated && !expected.error

/** What differs between an outcome and what the case expects; empty when it is decoded exactly. */
export function differences(recorded: CorpusCase, outcome: Outcome): string[] {
  const { expected } = recorded
  const found: string[] = []
  const compare = (what: string, actual: unknown, wanted: unknown): void => {
    if (JSON.stringify(actual) !== JSON.stringify(wanted)) {
      found.push(`${what}: ${show(actual)} instead of ${show(wanted)}`)
    }
  }
  compare('text', outcome.text, expected.text || expected.refusalText)
  compare('reasoning', outcome.reasoning, expected.reasoningText)
  // A call in the form before `tool_calls` is a call like any other to us; the corpus has it apart.
  const legacy = expected.legacyFunctionCall
  const calls: CorpusCase['expected']['toolCalls'] = legacy
    ? [
        ...expected.toolCalls,
        {
          id: null,
          name: legacy.name,
          arguments: JSON.parse(legacy.arguments) as unknown,
          argumentsRaw: legacy.arguments,
        },
      ]
    : expected.toolCalls
  compare('tool calls', outcome.toolCalls.length, calls.length)
  calls.forEach((call, index) => {
    const actual = outcome.toolCalls[index]
    if (!actual) return
    compare('call name', actual.name, call.name)
    if (call.id !== null) compare('call id', actual.id, call.id)
    // Where the wire had an object and no text, the text is the object's JSON; the corpus then says
    // ''.
    const asObject = call.argumentsRaw === '' && JSON.stringify(call.arguments) !== '{}'
    const text = asObject ? JSON.stringify(call.arguments) : call.argumentsRaw
    if (text !== null) compare('call arguments text', actual.argumentsText, text)
    if (!call.argumentsMalformed && !call.custom)
      compare('call arguments', actual.arguments, call.arguments)
    if (call.argumentsMalformed) compare('call error', actual.error !== undefined, true)
  })
  if (isCut(recorded)) compare('error', outcome.error?.code, 'truncated')
  else if (expected.error) {
    if (!outcome.error) found.push(`no error instead of ${JSON.stringify(expected.error)}`)
    else if (
      expected.error.message &&
      !outcome.error.message.includes(expected.error.message.trim().slice(0, 200))
    ) {
      found.push(`error message ${outcome.error.message} lacks ${expected.error.message}`)
    }
  } else if (outcome.error) found.push(`error ${outcome.error.code}: ${outcome.error.message}`)
  if (!expected.error && !isCut(recorded)) {
    const wanted =
      expected.finishReason?.replace('_', '-') ??
      (expected.toolCalls.length ? 'tool-calls' : 'unknown')
    compare('finish reason', outcome.finishReason, wanted)
  }
  if (expected.usage && !outcome.error) {
    compare('usage', outcome.usage, wantedUsage(expected.usage, expected.usageRaw, recorded.vendor))
  }
  return found
}

/**
 * The expected counts of a case. The corpus has those of the wire's top level; ours include what
 * the wire counts elsewhere.
 */
function wantedUsage(
  {
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning,
    toolUsePrompt = 0,
  }: NonNullable<CorpusCase['expected']['usage']>,
  raw: RawUsage | null,
  vendor: string,
): NonNullable<Outcome['usage']> {
  const thought = reasoning ?? 0
  const audio = raw?.prompt_tokens_details?.audio_tokens ?? 0
  const heard = raw?.total_tokens === input + output + audio ? audio : 0
  const further = (raw?.iterations ?? []).filter(
    ({ type }) => type !== 'message' && type !== 'fallback_message',
  )
  const sum = (
    name:
      | 'input_tokens'
      | 'output_tokens'
      | 'cache_read_input_tokens'
      | 'cache_creation_input_tokens',
  ) => further.reduce((total, one) => total + one[name], 0)
  const read = cacheRead + sum('cache_read_input_tokens')
  const written = cacheWrite + sum('cache_creation_input_tokens')
  const prompt =
    input + toolUsePrompt + heard + sum('input_tokens') + read + written - cacheRead - cacheWrite
  const beside = vendor === 'vercel-gateway' || raw?.total_tokens === input + output + thought
  const generated = output + sum('output_tokens') + (beside ? thought : 0)
  // Some vendors report one token as read and written, or a part larger than its whole.
  const whole = Math.max(prompt, read, written)
  return {
    input: whole,
    output: generated,
    cacheRead: read,
    cacheWrite: Math.min(written, whole - read),
    reasoning: Math.min(thought, generated),
  }
}
