import {
  type AssistantMessage,
  type ChatMessage,
  type ContentPart,
  configError,
  isObject,
  type JsonObject,
  LlmError,
  type ToolCall,
  type ToolMessage,
} from '@modelport/core'
import { toToolContent } from '../tools/tool-content.js'

/** The request of `useChat`: its messages, and the user's decisions. */
export interface FromUiMessages {
  /** The conversation, for `infer`. Tool calls without a result are left out. */
  readonly messages: readonly ChatMessage[]
  /**
   * Decisions on approval requests, for `decisions` of a resumed run: each holds for the pending
   * item with its `id` and its `digest` only.
   */
  readonly approvals: readonly {
    readonly id: string
    /** Digest of the call that the page showed. Unset if the run had not stopped yet. */
    readonly digest?: string
    readonly approved: boolean
    readonly reason?: string
    /** The answer to a question: the reason, if it is a JSON object. */
    readonly content?: JsonObject
  }[]
  /**
   * Ids of the calls whose results were not taken, since this server did not ask for them: the
   * calls are left out.
   */
  readonly ignored: readonly string[]
}

/** The parts of the browser's messages that are trusted. */
export interface FromUiMessagesOptions {
  /**
   * True takes messages with the role `system`. Default false: they are refused, since whoever
   * writes one gives the model instructions.
   */
  readonly allowSystemInMessages?: boolean | undefined
  /**
   * The conversation as this server stored it, such as `transcript` of the last result: its calls
   * and results win over those of the browser. The browser's result is used only for a call without
   * a result in it, for a tool that runs in the browser. `[]` leaves out all calls. Default:
   * messages with results of calls are refused, since a browser may forge them.
   */
  readonly transcript?: readonly ChatMessage[] | undefined
}

type Approvals = FromUiMessages['approvals']
type UiPart = Readonly<Record<string, unknown>>

/**
 * Reads the messages of `useChat`: text, files, reasoning, tool calls with their results,
 * approvals. A browser may forge its messages: see the options.
 * @throws {LlmError} `config` — the messages have results of calls, and `transcript` is not set;
 * `invalid-request` — the value is not a list of UI messages, has a system
 * message, or a file with an address of another kind than `http(s)` and `data`.
 */
export function fromUiMessages(
  given: unknown,
  options: FromUiMessagesOptions = {},
): FromUiMessages {
  const approvals: Approvals[number][] = []
  const calls = new OwnCalls(options.transcript ?? [])
  const messages = toList(given, 'messages').flatMap((message): readonly ChatMessage[] => {
    const { role } = message
    const parts = toList(message['parts'], 'parts')
    if (role === 'user') return [{ role, content: parts.flatMap(toContentPart) }]
    if (role === 'system' && !options.allowSystemInMessages)
      throw refuse(
        'a message has the role "system"; set allowSystemInMessages if your page may instruct the model',
      )
    if (role === 'system')
      return [
        { role, content: parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('') },
      ]
    if (role !== 'assistant')
      throw refuse(`a message has the role ${JSON.stringify(role)}; pass the messages of useChat`)
    for (const { approval } of parts)
      if (isObject(approval)) approvals.push(...toApproval(approval))
    return toTurns(parts, calls)
  })
  if (options.transcript === undefined && calls.ignored.length)
    throw configError(
      `fromUiMessages: the messages have results of tool calls (${listOf(calls.ignored)}), which a browser may forge; pass "transcript", the conversation as this server has it, or transcript: [] to leave the calls out`,
    )
  return { messages, approvals, ignored: calls.ignored }
}

const listOf = (ids: readonly string[]): string =>
  ids.length > 5 ? `${ids.slice(0, 5).join(', ')}, …` : ids.join(', ')

const refuse = (what: string): LlmError =>
  new LlmError('invalid-request', `fromUiMessages: ${what}`)

function toList(value: unknown, name: string): readonly UiPart[] {
  if (!Array.isArray(value) || !value.every(isObject))
    throw refuse(`"${name}" is not a list of objects; pass the messages of useChat`)
  return value
}

function toApproval({ id: given, approved, reason }: UiPart): Approvals {
  if (typeof given !== 'string' || typeof approved !== 'boolean') return []
  const [, id = given, digest] = /^(.*)#([\da-f]{64})$/s.exec(given) ?? []
  const said = typeof reason === 'string' ? { reason, ...contentOf(reason) } : {}
  return [{ id, ...(digest !== undefined && { digest }), approved, ...said }]
}

function contentOf(reason: string): { readonly content?: JsonObject } {
  try {
    const content = JSON.parse(reason) as unknown
    return isObject(content) ? { content } : {}
  } catch {
    return {}
  }
}

function toContentPart({ type, text, url, mediaType }: UiPart): ContentPart[] {
  if (type === 'text' && typeof text === 'string') return [{ type: 'text', text }]
  if (type !== 'file' || typeof url !== 'string') return []
  const media = typeof mediaType === 'string' ? mediaType : 'application/octet-stream'
  const data = /^data:([^;,]*);base64,(.*)$/s.exec(url)
  if (!data && !/^https?:/i.test(url))
    throw refuse(
      `a file has the address ${JSON.stringify(url.slice(0, 40))}; send it as http(s) or as data in base64`,
    )
  const source = data
    ? ({
        type: 'base64',
        mediaType: data[1] === '' ? media : (data[1] ?? media),
        data: data[2] ?? '',
      } as const)
    : ({ type: 'url', url } as const)
  const kind = media.startsWith('image/') ? 'image' : media.startsWith('audio/') ? 'audio' : 'file'
  return [{ type: kind, source }]
}

/** An assistant message of the UI spans all turns of a run; `step-start` separates them. */
function toTurns(parts: readonly UiPart[], calls: OwnCalls): readonly ChatMessage[] {
  const turns: UiPart[][] = [[]]
  for (const part of parts) {
    if (part['type'] === 'step-start') turns.push([])
    else turns.at(-1)?.push(part)
  }
  return turns.flatMap((turn) => toTurn(turn, calls))
}

function toTurn(parts: readonly UiPart[], calls: OwnCalls): readonly ChatMessage[] {
  const textOf = (kind: string): string =>
    parts
      .flatMap(({ type, text }) => (type === kind && typeof text === 'string' ? [text] : []))
      .join('')
  const results: ToolMessage[] = []
  const toolCalls: ToolCall[] = []
  for (const part of parts) {
    const claimed = toResult(part)
    const finished = claimed && calls.own(claimed)
    if (!finished) continue
    toolCalls.push(finished.call)
    results.push(finished.result)
  }
  const content = textOf('text')
  const reasoning = textOf('reasoning')
  if (!content && !toolCalls.length) return []
  const message: AssistantMessage = {
    role: 'assistant',
    content,
    ...(reasoning && { reasoning }),
    ...(toolCalls.length && { toolCalls }),
  }
  return [message, ...results]
}

interface FinishedCall {
  readonly call: ToolCall
  readonly result: ToolMessage
}

/** The calls of this server by id; an id that several runs used is matched in their order. */
class OwnCalls {
  readonly ignored: string[] = []
  readonly #asked = new Map<
    string,
    { readonly calls: ToolCall[]; readonly results: ToolMessage[]; taken: number }
  >()

  constructor(transcript: readonly ChatMessage[]) {
    for (const message of transcript) {
      if (message.role === 'tool') this.#asked.get(message.toolCallId)?.results.push(message)
      if (message.role !== 'assistant') continue
      for (const call of message.toolCalls ?? []) {
        const known = this.#asked.get(call.id) ?? { calls: [], results: [], taken: 0 }
        known.calls.push(call)
        this.#asked.set(call.id, known)
      }
    }
  }

  /** The call as this server knows it. Undefined, and ignored, if it does not. */
  own(claimed: ToolMessage): FinishedCall | undefined {
    const { toolCallId: id } = claimed
    const known = this.#asked.get(id)
    const place = known ? known.taken++ : 0
    const call = known?.calls[place]
    if (!known || !call) {
      this.ignored.push(id)
      return undefined
    }
    return { call, result: known.results[place] ?? { ...claimed, toolName: call.name } }
  }
}

/**
 * The result that the browser claims for a call. Its input is not read: that of this server counts.
 */
function toResult(part: UiPart): ToolMessage | undefined {
  const { type, toolCallId: id, state, output, errorText } = part
  if (typeof type !== 'string' || typeof id !== 'string') return undefined
  const name =
    type === 'dynamic-tool'
      ? part['toolName']
      : type.startsWith('tool-')
        ? type.slice(5)
        : undefined
  if (typeof name !== 'string') return undefined
  const isError = state === 'output-error' || state === 'output-denied'
  if (!isError && state !== 'output-available') return undefined
  const denied = 'Not allowed: the user refused the call.'
  const content = !isError
    ? toToolContent(output)
    : state === 'output-denied'
      ? denied
      : String(errorText)
  return { role: 'tool', toolCallId: id, toolName: name, content, ...(isError && { isError }) }
}
