/** A call written as code. */
export interface ShorthandCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

const space = /\s*/y
const word = /[A-Za-z_][\w-]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y
const doubleQuoted = /"(?:[^"\\]|\\.)*"/y
const singleQuoted = /'(?:[^'\\]|\\.)*'/y
const constants: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
}

/**
 * Reads `tool(name="text", count=3)`: a known tool, every argument by name, every value a literal, nothing before or after it.
 * Anything else is undefined.
 */
export function parseShorthand(text: string, tools: readonly string[]): ShorthandCall | undefined {
  const reader = new LiteralReader(text.trim())
  const tool = reader.take(word)
  if (tool === undefined || !tools.includes(tool) || !reader.skip('(')) return undefined
  const args: [string, unknown][] = []
  if (!reader.skip(')')) {
    do {
      const name = reader.take(word)
      if (name === undefined || name === '__proto__' || !reader.skip('=')) return undefined
      const value = reader.literal()
      if (value === undefined || args.some(([key]) => key === name)) return undefined
      args.push([name, value.value])
    } while (reader.skip(','))
    if (!reader.skip(')')) return undefined
  }
  return reader.atEnd ? { tool, args: Object.fromEntries(args) } : undefined
}

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

  /** The text the pattern matches here, after space. */
  take(pattern: RegExp): string | undefined {
    if (pattern !== space) this.take(space)
    pattern.lastIndex = this.#at
    const [match] = pattern.exec(this.#text) ?? []
    if (match !== undefined) this.#at += match.length
    return match
  }

  /** True when this character stands here, which is then passed. */
  skip(character: string): boolean {
    this.take(space)
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  literal(): { readonly value: unknown } | undefined {
    const digits = this.take(number)
    if (digits !== undefined) return { value: Number(digits) }
    const quoted = this.take(doubleQuoted) ?? this.#single()
    if (quoted !== undefined) return fromJsonText(quoted)
    const name = this.take(word)
    return name !== undefined && Object.hasOwn(constants, name) ? { value: constants[name] } : undefined
  }

  #single(): string | undefined {
    const text = this.take(singleQuoted)
    return text === undefined
      ? undefined
      : `"${text.slice(1, -1).replace(/\\'|"/g, (found) => (found === '"' ? '\\"' : "'"))}"`
  }
}

function fromJsonText(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
