import { type ChatMessage, type Content, LlmError } from '@modelport/core'
import { jsonHash } from '../../base/json-hash.js'
import { cut } from '../../base/well-formed.js'
import { defineTool } from '../../tools/define-tool.js'
import type { Tool } from '../../tools/tool.js'

type Change = (text: string) => string

/** Long results whose beginning is sent; of twice as many, the older half is sent as handles. */
const mostHeads = 5
/** Characters around what a search finds. */
const around = 200

/**
 * Sends long results of tools by their beginning, with a handle to read on. The transcript has them
 * whole: it is stored with the run, and what is sent follows from it alone, so that the prompt of a
 * step begins with that of the step before.
 */
export class LongResults {
  readonly #most: number
  readonly #whole = new WeakMap<ChatMessage, ChatMessage>()
  readonly #heads = new WeakMap<ChatMessage, ChatMessage>()
  readonly #handles = new WeakMap<ChatMessage, ChatMessage>()

  /** @param most characters of a result that are sent */
  constructor(most: number) {
    this.#most = most
  }

  /**
   * The messages as they are sent. A result that the model has not answered yet always has its
   * beginning.
   */
  show(messages: readonly ChatMessage[]): readonly ChatMessage[] {
    if (this.#most === Infinity) return messages
    const answered = messages.findLastIndex(({ role }) => role === 'assistant')
    const long = messages.flatMap((message, index) =>
      index < answered && this.#isLong(message) ? [index] : [],
    )
    const surplus = Math.max(0, Math.floor(long.length / mostHeads) - 1) * mostHeads
    const cleared = new Set(long.slice(0, surplus))
    return messages.map((message, index) => {
      if (!this.#isLong(message)) return message
      const most = cleared.has(index) ? 0 : this.#most
      const known = most ? this.#heads : this.#handles
      const shown = known.get(message) ?? mapResults(message, (text) => this.#shorten(text, most))
      known.set(message, shown)
      this.#whole.set(shown, message)
      return shown
    })
  }

  /** The message that is sent as this one. */
  wholeOf(message: ChatMessage): ChatMessage {
    return this.#whole.get(message) ?? message
  }

  /** The tool that reads on, or undefined where results have no limit. */
  tool(messages: () => readonly ChatMessage[]): Tool | undefined {
    if (this.#most === Infinity) return undefined
    return defineTool({
      name: 'read_result',
      description: 'Reads on in a result that was too long to be shown whole, or searches it',
      parameters: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          offset: { type: 'integer', minimum: 0 },
          search: { type: 'string' },
        },
        required: ['id'],
        additionalProperties: false,
      },
      readOnly: true,
      execute: ({ id, offset = 0, search }) =>
        this.#read(this.#find(messages(), id), offset, search),
    })
  }

  #isLong(message: ChatMessage): boolean {
    let isLong = false
    mapResults(message, (text) => {
      isLong ||= text.length > this.#most
      return text
    })
    return isLong
  }

  #shorten(text: string, most: number): string {
    if (text.length <= this.#most) return text
    const next = `read_result with the id "${idOf(text)}" reads on at an offset, or searches`
    return `${cut(text, most)}\n[${most} of ${text.length} characters are shown; ${next}]`.trimStart()
  }

  #find(messages: readonly ChatMessage[], id: string): string {
    let found: string | undefined
    for (const message of messages)
      mapResults(message, (text) => {
        if (text.length > this.#most && idOf(text) === id) found = text
        return text
      })
    if (found === undefined)
      throw new LlmError('not-found', `there is no long result with the id "${id}"`)
    return found
  }

  /** A part of a result, never longer than one that is shown whole. */
  #read(text: string, offset: number, search: string | undefined): string {
    const most = this.#most - around
    if (!search) {
      const end = Math.min(offset + most, text.length)
      return `${cut(text.slice(offset), most)}\n[characters ${Math.min(offset, end)} to ${end} of ${text.length}]`
    }
    let all = ''
    const wanted = search.toLowerCase()
    const searched = text.toLowerCase()
    for (
      let at = searched.indexOf(wanted, offset);
      at >= 0;
      at = searched.indexOf(wanted, at + around)
    ) {
      const line = `[offset ${at}] ${cut(text.slice(Math.max(0, at - around)), 2 * around)}\n`
      if (all.length + line.length > most) return `${all}[more follow; search on from offset ${at}]`
      all += line
    }
    return all || `Nothing is found after offset ${offset}.`
  }
}

/** Identifies a result by what it says: the same after a resume, and in every mode. */
const idOf = (text: string): string => jsonHash(text).slice(0, 8)

/**
 * The message with each result of a tool in it changed: of a tool message, of a line of JSON mode,
 * and of a block of text mode.
 */
function mapResults(message: ChatMessage, change: Change): ChatMessage {
  if (message.role === 'tool') return { ...message, content: mapText(message.content, change) }
  if (message.role !== 'user' || !message.byRun) return message
  return { ...message, content: mapText(message.content, (text) => mapWritten(text, change)) }
}

const mapText = (content: Content, change: Change): Content =>
  typeof content === 'string'
    ? change(content)
    : content.map((part) => (part.type === 'text' ? { ...part, text: change(part.text) } : part))

const mapWritten = (written: string, change: Change): string =>
  written.startsWith('<tool_response>')
    ? written.replaceAll(/(?<=<tool_response>\n)[^]*?(?=\n<\/tool_response>)/g, change)
    : written.replaceAll(/^\{"type":"(?:tool|agent)_(?:result|error)".*$/gm, (line) => {
        const { result, error = '', ...of } = JSON.parse(line) as Readonly<Record<string, string>>
        const changed = result === undefined ? { error: change(error) } : { result: change(result) }
        return JSON.stringify({ ...of, ...changed })
      })
