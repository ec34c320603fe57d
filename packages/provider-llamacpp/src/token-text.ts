import type { LlamaModel, Token } from 'node-llama-cpp'

/** More bytes than a character has: what is not whole by then is no character. */
const mostPending = 4

/** Text of tokens as they come: characters that several tokens make up are given out whole. */
export class TokenText {
  readonly #model: LlamaModel
  readonly #shown: readonly string[]
  #pending: Token[] = []
  #recent: Token[] = []

  /** `shown` are texts of control tokens that belong to the answer: marks of calls and thinking. */
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
    return text.endsWith('\uFFFD') && this.#pending.length < mostPending ? '' : this.#take(text)
  }

  /** What was held back. */
  end(): string {
    return this.#pending.length ? this.#take(this.#model.detokenize(this.#pending, true, this.#recent)) : ''
  }

  #take(text: string): string {
    this.#recent = [...this.#recent, ...this.#pending].slice(-mostPending)
    this.#pending = []
    return text
  }
}
