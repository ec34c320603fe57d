import type { LlamaModel, Token } from 'node-llama-cpp'

/**
 * Maximum bytes of a character: bytes that are not whole after as many tokens are not a character.
 */
const mostPending = 4

/** Text of tokens as they come: characters that several tokens make up are given out whole. */
export class TokenText {
  readonly #model: LlamaModel
  readonly #shown: readonly string[]
  #pending: Token[] = []
  /**
   * How much of the pending tokens' text was given out, and how many tokens have added nothing to
   * it since.
   */
  #given = 0
  #waits = 0
  #recent: Token[] = []

  /** `shown` are texts of control tokens that belong to the reply: marks of calls and thinking. */
  constructor(model: LlamaModel, shown: readonly string[]) {
    this.#model = model
    this.#shown = shown
  }

  push(token: Token): string {
    if (this.#model.isSpecialToken(token)) {
      const text = this.#model.detokenize([token], true)
      return this.end() + (this.#shown.includes(text) ? text : '')
    }
    this.#pending.push(token)
    const text = this.#model.detokenize(this.#pending, true, this.#recent)
    if (!text.endsWith('\uFFFD')) return this.#take(text)
    // A token may hold the end of one character and the start of the next.
    const whole = text.replace(/(?<!\uFFFD)\uFFFD+$/, '')
    const more = whole.slice(this.#given)
    this.#waits = more ? 1 : this.#waits + 1
    if (this.#waits >= mostPending) return this.#take(text)
    this.#given = Math.max(this.#given, whole.length)
    return more
  }

  /** What was held back. */
  end(): string {
    return this.#pending.length
      ? this.#take(this.#model.detokenize(this.#pending, true, this.#recent))
      : ''
  }

  #take(text: string): string {
    this.#recent = [...this.#recent, ...this.#pending].slice(-mostPending)
    this.#pending = []
    const rest = text.slice(this.#given)
    this.#given = this.#waits = 0
    return rest
  }
}
