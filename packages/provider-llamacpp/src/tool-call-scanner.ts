import type { NeutralRecord } from '@modelport/driver'

// A run of white space can be read in one way only: the model may write any number of it.
const head =
  /^\s*(?:\[\s*)?(?:,\s*)?\{\s*"name"\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*"(?:arguments|parameters)"\s*:\s*/s

/** What became of a call's text. */
export interface ScanResult {
  readonly records: readonly NeutralRecord[]
  /** The text after the call, once it is over. */
  readonly rest?: string
}

/**
 * Reads one call as the model writes it: `{"name": …, "arguments": …}`. Arguments are given out as
 * they come.
 */
export class ToolCallScanner {
  /** False until a call was given out: what was read may then be no call at all. */
  started = false
  text = ''
  readonly #index: number
  readonly #close: string
  #position = 0
  #depth = 0
  #inString = false
  #escaped = false
  /** Where the part of the arguments begins that was not given out. */
  #from = -1
  #argumentsOver = false
  #encoded = false

  constructor(index: number, close: string) {
    this.#index = index
    this.#close = close
  }

  push(text: string): ScanResult {
    this.text += text
    const records: NeutralRecord[] = []
    for (; this.#position < this.text.length; this.#position++) {
      const character = this.text[this.#position] as string
      if (!this.#inString && character === this.#close[0]) {
        const ahead = this.text.slice(this.#position, this.#position + this.#close.length)
        if (ahead === this.#close) return this.#over(records, this.#position)
        // Whether it is the end mark is not known yet.
        if (this.#close.startsWith(ahead)) break
      }
      if (!this.started) this.#begin(records)
      if (this.#step(character, records)) return this.#over(records, this.#position + 1)
    }
    this.#give(records, this.#position)
    return { records }
  }

  /** Takes one character; true when the call's object ends with it. */
  #step(character: string, records: NeutralRecord[]): boolean {
    const outer = this.#depth === 1 && !this.#inString
    if (
      this.#from >= 0 &&
      outer &&
      !this.#argumentsOver &&
      (character === '}' || character === ',')
    ) {
      this.#give(records, this.#position)
      this.#argumentsOver = true
    }
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false
      else if (character === '\\') this.#escaped = true
      else if (character === '"') this.#inString = false
    } else if (character === '"') this.#inString = true
    else if (character === '{' || character === '[')
      this.#depth += character === '[' && this.#depth === 0 ? 0 : 1
    else if (character === '}' || character === ']') {
      if (this.#depth > 0) this.#depth--
      if (this.#depth === 1 && this.#from >= 0 && !this.#argumentsOver) {
        this.#give(records, this.#position + 1)
        this.#argumentsOver = true
      }
      return this.#depth === 0 && character === '}'
    }
    return false
  }

  /** Once the name is there and the arguments begin, the call does. */
  #begin(records: NeutralRecord[]): void {
    const match = head.exec(this.text)
    if (!match || match[0].length > this.#position) return
    this.started = true
    this.#from = this.#position
    this.#encoded = this.text[this.#position] === '"'
    records.push({
      type: 'call',
      index: this.#index,
      name: unquote(match[1] ?? ''),
      arguments: '',
      more: true,
    })
  }

  #give(records: NeutralRecord[], end: number): void {
    if (this.#from < 0 || this.#argumentsOver || this.#encoded) return
    const text = this.text.slice(this.#from, end)
    this.#from = end
    if (text) records.push({ type: 'call', index: this.#index, arguments: text, more: true })
  }

  #over(records: NeutralRecord[], end: number): ScanResult {
    const rest = this.text.slice(end)
    this.text = this.text.slice(0, end)
    if (this.started) {
      this.#give(records, end)
      records.push({
        type: 'call',
        index: this.#index,
        ...(this.#encoded && { arguments: decoded(this.text) }),
      })
    } else records.push(...this.#whole())
    return { records, rest }
  }

  /** A call whose fields come in another order. */
  #whole(): NeutralRecord[] {
    const call = parseCall(this.text)
    if (typeof call?.name !== 'string') return []
    this.started = true
    const value = call.arguments ?? call.parameters ?? {}
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [{ type: 'call', index: this.#index, name: call.name, arguments: text }]
  }
}

interface WrittenCall {
  readonly name?: unknown
  readonly arguments?: unknown
  readonly parameters?: unknown
}

function parseCall(text: string): WrittenCall | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\s*[[,]/, ''))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Arguments written as text that holds JSON; as they stand when they cannot be read. */
function decoded(text: string): string {
  const call = parseCall(text)
  const value = call?.arguments ?? call?.parameters
  return typeof value === 'string' ? value : text.replace(head, '')
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
