/** An object or a list that is being read. */
type Container =
  | { readonly kind: 'object'; value: Record<string, unknown>; key: string | undefined }
  | { readonly kind: 'list'; value: unknown[] }

const deepest = 128
const literals: Readonly<Record<string, unknown>> = { true: true, false: false, null: null }
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/**
 * Reads JSON while it is written. Text before the first `{` or `[` is skipped. Each character is
 * looked at once, so reading a whole stream takes time linear in its length. Text that is not JSON
 * stops the reader; the value stays as it was.
 */
export class PartialJson {
  readonly #open: Container[] = []
  #root: unknown
  #state: 'before' | 'value' | 'key' | 'colon' | 'comma' | 'string' | 'scalar' | 'done' = 'before'
  #isKey = false
  #scalar = ''
  /** Finished text of the current string. */
  #text = ''
  /** An escape that is not complete yet, with its backslash. */
  #escape = ''

  /** True once the value is complete, or the text cannot be read any further. */
  get isDone(): boolean {
    return this.#state === 'done'
  }

  push(text: string): void {
    for (let at = 0; at < text.length && this.#state !== 'done'; at++) {
      if (this.#state === 'string' && !this.#escape) {
        const stop = endOfPlainText(text, at)
        this.#text += text.slice(at, stop)
        at = stop
        if (at >= text.length) break
      }
      this.#take(text[at] as string)
    }
  }

  /**
   * A copy of the value so far; undefined before it begins. An unfinished text is in it, an
   * unfinished number, word or key is not.
   */
  snapshot(): unknown {
    if (this.#root === undefined) return undefined
    let inner: unknown = this.#state === 'string' && !this.#isKey ? this.#text : undefined
    for (const container of this.#open.toReversed()) {
      const { value } = container
      if (container.kind === 'list')
        inner = inner === undefined ? [...(value as unknown[])] : [...(value as unknown[]), inner]
      else
        inner =
          inner === undefined || container.key === undefined
            ? { ...(value as object) }
            : { ...(value as object), [container.key]: inner }
    }
    return inner ?? this.#root
  }

  /** The value of a field of the outermost object, if it is a whole text. */
  textOf(key: string): string | undefined {
    const value = Object.getOwnPropertyDescriptor(this.#root ?? {}, key)?.value as unknown
    return typeof value === 'string' ? value : undefined
  }

  /**
   * Takes what has come of a text of the outermost object out of it: a long text is then never
   * copied as a whole.
   */
  drain(key: string): string {
    const [outer, inner] = this.#open
    const isGrowing =
      this.#state === 'string' &&
      !this.#isKey &&
      !inner &&
      outer?.kind === 'object' &&
      outer.key === key
    const text = isGrowing ? this.#text : (this.textOf(key) ?? '')
    if (isGrowing) this.#text = ''
    else if (text) Object.assign(this.#root as object, { [key]: '' })
    return text
  }

  #take(character: string): void {
    switch (this.#state) {
      case 'before':
        if (character === '{' || character === '[') this.#begin(character)
        break
      case 'string':
        this.#takeText(character)
        break
      case 'scalar':
        if (/[\w.+-]/.test(character)) this.#scalar += character
        else this.#endScalar(character)
        break
      default:
        if (!/\s/.test(character)) this.#takeMark(character)
    }
  }

  #takeMark(character: string): void {
    const top = this.#open.at(-1)
    if (character === '}' || character === ']') {
      const fits = top?.kind === (character === '}' ? 'object' : 'list') && this.#state !== 'colon'
      if (fits) this.#close()
      else this.#state = 'done'
    } else if (this.#state === 'comma') {
      if (character === ',') this.#state = top?.kind === 'object' ? 'key' : 'value'
      else this.#state = 'done'
    } else if (this.#state === 'colon') this.#state = character === ':' ? 'value' : 'done'
    else if (character === '"') this.#beginString(this.#state === 'key')
    else if (this.#state === 'key') this.#state = 'done'
    else if (character === '{' || character === '[') this.#begin(character)
    else if (/[\w-]/.test(character)) {
      this.#state = 'scalar'
      this.#scalar = character
    } else this.#state = 'done'
  }

  #begin(character: string): void {
    if (this.#open.length >= deepest) {
      this.#state = 'done'
      return
    }
    const container: Container =
      character === '{'
        ? { kind: 'object', value: {}, key: undefined }
        : { kind: 'list', value: [] }
    this.#root ??= container.value
    this.#open.push(container)
    this.#state = container.kind === 'object' ? 'key' : 'value'
  }

  #close(): void {
    const closed = this.#open.pop()
    if (this.#open.length && closed) this.#add(closed.value)
    else this.#state = 'done'
  }

  #add(value: unknown): void {
    const top = this.#open.at(-1)
    if (top?.kind === 'list') top.value.push(value)
    else if (top?.key !== undefined) {
      // Defined, not assigned: the key may be "__proto__".
      Object.defineProperty(top.value, top.key, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      })
      top.key = undefined
    }
    this.#state = 'comma'
  }

  #beginString(isKey: boolean): void {
    this.#state = 'string'
    this.#isKey = isKey
    this.#text = ''
    this.#escape = ''
  }

  #takeText(character: string): void {
    if (this.#escape) {
      this.#takeEscape(character)
      return
    }
    if (character === '\\') this.#escape = character
    else if (character !== '"') this.#text += character
    else if (this.#isKey) {
      const top = this.#open.at(-1)
      if (top?.kind === 'object') top.key = this.#text
      this.#state = 'colon'
    } else this.#add(this.#text)
  }

  #takeEscape(character: string): void {
    this.#escape += character
    if (this.#escape[1] !== 'u') {
      this.#text += escapes[character] ?? character
      this.#escape = ''
    } else if (this.#escape.length === 6) {
      this.#text += String.fromCharCode(Number.parseInt(this.#escape.slice(2), 16) || 0)
      this.#escape = ''
    }
  }

  #endScalar(next: string): void {
    const text = this.#scalar
    const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)
      ? Number(text)
      : undefined
    const value = Object.hasOwn(literals, text) ? literals[text] : number
    if (value === undefined) {
      this.#state = 'done'
      return
    }
    this.#add(value)
    if (!/\s/.test(next)) this.#takeMark(next)
  }
}

/** The index of the next quote or backslash, or the end of the text. */
function endOfPlainText(text: string, from: number): number {
  // One search for both: two searches would scan the text after the nearer one again and again.
  const mark = /["\\]/g
  mark.lastIndex = from
  return mark.exec(text)?.index ?? text.length
}
