import { PartialJson } from './partial-json.js'

/** The text that may precede a streamed action: nothing, or the start of a code fence. */
const opening = /^\s*(?:```(?:json)?\s*)?\{/i
const mayOpen = /^\s*(?:`{0,3}|```j?s?o?n?\s*)$/i

/**
 * Takes the text of the reply out of a final action while its JSON arrives. A call, or prose, has
 * none.
 */
export class FinalText {
  readonly #json = new PartialJson()
  #head: string | undefined = ''
  #isOther = false
  #half = ''

  /** Reads the next delta; returns what it adds to the text. */
  push(delta: string): string {
    if (this.#isOther) return ''
    this.#read(delta)
    if (this.#json.textOf('type') !== 'final') return ''
    const text = this.#half + this.#json.drain('content')
    // Half of a surrogate pair waits for the other half.
    this.#half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? ''
    return this.#half ? text.slice(0, -1) : text
  }

  /**
   * Only a reply that begins with its object is streamed: in a longer text the object may be part
   * of what the model thinks.
   */
  #read(delta: string): void {
    if (this.#head === undefined) {
      this.#json.push(delta)
      return
    }
    this.#head += delta
    if (opening.test(this.#head)) {
      this.#json.push(this.#head)
      this.#head = undefined
    } else this.#isOther = !mayOpen.test(this.#head)
  }
}

/**
 * The part of the final text that was not streamed: usually nothing, and all of it if the action
 * needed repairs.
 */
export function missingText(reply: string, text: string): string {
  const streamed = new FinalText().push(reply)
  return text.startsWith(streamed) ? text.slice(streamed.length) : ''
}
