/** A part of a rule in llama.cpp's notation. */
type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'class'; readonly pattern: RegExp }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'either'; readonly options: readonly Part[] }
  | { readonly kind: 'all'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number }

const token =
  /\s*("(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{\d+(?:,\d*)?\}|[a-zA-Z][\w-]*|[()|?*+])/y
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

const characters = Array.from('aCzuE0179-+é🚀\u2028 bfnrt"\\/,:{}[]')

/**
 * The language of a grammar, read apart from llama.cpp: for asking whether a text belongs to it,
 * and for texts that do.
 */
export class GrammarLanguage {
  readonly #rules = new Map<string, Part>()

  constructor(rules: readonly string[]) {
    for (const rule of rules) {
      const [, name = '', text = ''] = /^(\S+) ::= (.*)$/s.exec(rule) ?? []
      if (this.#rules.has(name)) throw new Error(`the rule ${name} is there twice`)
      this.#rules.set(name, parse(text))
    }
  }

  /** Whether the rule allows exactly this text. */
  allows(rule: string, text: string): boolean {
    return this.#ends({ kind: 'rule', name: rule }, Array.from(text), new Set([0])).has(
      Array.from(text).length,
    )
  }

  /** A text that the rule allows; `pick` chooses one of so many. */
  text(rule: string, pick: (count: number) => number): string {
    return this.#write({ kind: 'rule', name: rule }, pick, 0)
  }

  #write(part: Part, pick: (count: number) => number, depth: number): string {
    if (part.kind === 'text') return part.text
    if (part.kind === 'rule')
      return this.#write(this.#rules.get(part.name) as Part, pick, depth + 1)
    if (part.kind === 'all') return part.parts.map((one) => this.#write(one, pick, depth)).join('')
    // Deep down the last option is taken, and no more than must be: rules of any value name
    // themselves.
    if (part.kind === 'either')
      return this.#write(
        part.options[depth > 9 ? part.options.length - 1 : pick(part.options.length)] as Part,
        pick,
        depth,
      )
    if (part.kind === 'repeat') {
      const times = part.least + (depth > 9 ? 0 : pick(Math.min(part.most - part.least, 3) + 1))
      return Array.from({ length: times }, () => this.#write(part.part, pick, depth)).join('')
    }
    const fitting = characters.filter((one) => part.pattern.test(one))
    return fitting[pick(fitting.length)] ?? ''
  }

  /** Where the part may end in the text, when it begins at one of the places. */
  #ends(part: Part, text: readonly string[], starts: ReadonlySet<number>): ReadonlySet<number> {
    if (!starts.size) return starts
    switch (part.kind) {
      case 'text': {
        const wanted = Array.from(part.text)
        return new Set(
          [...starts]
            .filter((at) => wanted.every((one, index) => text[at + index] === one))
            .map((at) => at + wanted.length),
        )
      }
      case 'class':
        return new Set(
          [...starts]
            .filter((at) => text[at] !== undefined && part.pattern.test(text[at]))
            .map((at) => at + 1),
        )
      case 'rule': {
        const inner = this.#rules.get(part.name)
        if (!inner) throw new Error(`there is no rule ${part.name}`)
        return this.#ends(inner, text, starts)
      }
      case 'either':
        return new Set(part.options.flatMap((option) => [...this.#ends(option, text, starts)]))
      case 'all':
        return part.parts.reduce((places, one) => this.#ends(one, text, places), starts)
      case 'repeat': {
        const found = new Set(part.least === 0 ? starts : [])
        let places = starts
        for (let times = 1; times <= part.most && places.size; times++) {
          places = this.#ends(part.part, text, places)
          if (times >= part.least) for (const at of places) found.add(at)
        }
        return found
      }
    }
  }
}

function parse(text: string): Part {
  const tokens: string[] = []
  token.lastIndex = 0
  for (let match = token.exec(text); match; match = token.exec(text))
    tokens.push(match[1] as string)
  if (
    tokens.join('').length !==
    text.replace(/("(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\])|\s+/g, '$1').length
  )
    throw new Error(`cannot be read: ${text}`)
  const part = either(tokens)
  if (tokens.length) throw new Error(`too many brackets: ${text}`)
  return part
}

function either(tokens: string[]): Part {
  const options: Part[] = []
  let parts: Part[] = []
  while (tokens.length && tokens[0] !== ')') {
    const next = tokens.shift() as string
    if (next === '|') {
      options.push({ kind: 'all', parts })
      parts = []
    } else if (/^[?*+{]/.test(next)) parts.push(repeated(parts.pop() as Part, next))
    else parts.push(single(next, tokens))
  }
  return { kind: 'either', options: [...options, { kind: 'all', parts }] }
}

function single(next: string, tokens: string[]): Part {
  if (next === '(') {
    const part = either(tokens)
    if (tokens.shift() !== ')') throw new Error('a bracket is not closed')
    return part
  }
  if (next.startsWith('"'))
    return {
      kind: 'text',
      text: next.slice(1, -1).replace(/\\(.)/gs, (_, one: string) => escapes[one] ?? one),
    }
  return next.startsWith('[')
    ? { kind: 'class', pattern: new RegExp(`^${next}$`, 'u') }
    : { kind: 'rule', name: next }
}

function repeated(part: Part, mark: string): Part {
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(mark) ?? []
  if (least !== undefined)
    return {
      kind: 'repeat',
      part,
      least: Number(least),
      most: most ? Number(most) : comma ? Infinity : Number(least),
    }
  return { kind: 'repeat', part, least: mark === '+' ? 1 : 0, most: mark === '?' ? 1 : Infinity }
}
