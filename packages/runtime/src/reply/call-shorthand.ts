/** A call written as code. */
export interface ShorthandCall {
  /** Name of an agent, for `agent.tool(…)`. */
  readonly agent?: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Decides whether a name in front of the parenthesis can be called. */
export type IsCallable = (tool: string, agent: string | undefined) => boolean

const space = /\s*/y
const word = /[A-Za-z_][\w-]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y
const doubleQuoted = /"[^"\\]*(?:\\.[^"\\]*)*"/y
const singleQuoted = /'[^'\\]*(?:\\.[^'\\]*)*'/y
const constants: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
}

/** Longest text that is read as a call. */
const mostCharacters = 1 << 17
/** Deepest nesting of lists and dictionaries in an argument. */
const deepest = 32

/**
 * Reads `tool(name="text", count=3)`, `agent.tool(…)` or `tool({"name": "text"})`: every argument
 * by name or all of them in one dictionary, every value a literal, nothing before or after the
 * call. Returns undefined for anything else.
 */
export function parseShorthand(text: string, isCallable: IsCallable): ShorthandCall | undefined {
  if (text.length > mostCharacters) return undefined
  const reader = new LiteralReader(text.trim())
  const first = reader.take(word)
  if (first === undefined) return undefined
  const agent = reader.skip('.') ? first : undefined
  const tool = agent === undefined ? first : reader.take(word)
  if (tool === undefined || !isCallable(tool, agent) || !reader.skip('(')) return undefined
  const args = reader.arguments()
  return args && reader.atEnd ? { ...(agent !== undefined && { agent }), tool, args } : undefined
}

/** A value that was read; the object tells `undefined` from a failure. */
type Literal = { readonly value: unknown } | undefined

class LiteralReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get atEnd(): boolean {
    this.take(space)
    return this.#at === this.#text.length
  }

  /** Consumes the text that matches the pattern here, after white space. */
  take(pattern: RegExp): string | undefined {
    if (pattern !== space) this.take(space)
    pattern.lastIndex = this.#at
    const [match] = pattern.exec(this.#text) ?? []
    if (match !== undefined) this.#at += match.length
    return match
  }

  /** Consumes this character if it comes next. */
  skip(character: string): boolean {
    this.take(space)
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  /** Reads the arguments up to and including the closing parenthesis. */
  arguments(): Readonly<Record<string, unknown>> | undefined {
    if (this.skip(')')) return {}
    const pairs = this.skip('{') ? this.#pairs('}', ':', () => this.#quoted(), 1) : undefined
    if (pairs) {
      this.skip(',')
      return this.skip(')') ? pairs : undefined
    }
    return this.#pairs(')', '=', () => toLiteral(this.take(word)), 0)
  }

  #literal(depth: number): Literal {
    const digits = this.take(number)
    if (digits !== undefined) return { value: Number(digits) }
    const quoted = this.#quoted()
    if (quoted) return quoted
    if (depth < deepest && this.skip('[')) return this.#list(depth + 1)
    if (depth < deepest && this.skip('{'))
      return toLiteral(this.#pairs('}', ':', () => this.#quoted(), depth + 1))
    const name = this.take(word)
    return name !== undefined && Object.hasOwn(constants, name)
      ? { value: constants[name] }
      : undefined
  }

  #list(depth: number): Literal {
    const items: unknown[] = []
    while (!this.skip(']')) {
      const item = this.#literal(depth)
      if (!item) return undefined
      items.push(item.value)
      if (this.skip(',')) continue
      return this.skip(']') ? { value: items } : undefined
    }
    return { value: items }
  }

  /**
   * Reads `key separator value` pairs up to and including `close`. Refuses a key that comes twice.
   */
  #pairs(
    close: string,
    separator: string,
    readKey: () => Literal,
    depth: number,
  ): Readonly<Record<string, unknown>> | undefined {
    const pairs = new Map<string, unknown>()
    while (!this.skip(close)) {
      const key = readKey()?.value
      if (typeof key !== 'string' || key === '__proto__' || pairs.has(key) || !this.skip(separator))
        return undefined
      const value = this.#literal(depth)
      if (!value) return undefined
      pairs.set(key, value.value)
      if (this.skip(',')) continue
      return this.skip(close) ? Object.fromEntries(pairs) : undefined
    }
    return Object.fromEntries(pairs)
  }

  #quoted(): Literal {
    const double = this.take(doubleQuoted)
    if (double !== undefined) return fromJsonText(double)
    const single = this.take(singleQuoted)
    if (single === undefined) return undefined
    return fromJsonText(`"${single.slice(1, -1).replace(/\\.|"/gs, requote)}"`)
  }
}

/** Rewrites one escape or quote of a single-quoted text for JSON. */
const requote = (found: string): string => (found === '"' ? '\\"' : found === "\\'" ? "'" : found)

const toLiteral = (value: unknown): Literal => (value === undefined ? undefined : { value })

function fromJsonText(text: string): Literal {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
