import { isObject } from '@modelport/core'
import { PartialJson } from './partial-json.js'

/**
 * True once a text has grown by a 64th since it was last read as a whole: all readings together
 * stay linear in its length.
 */
export const isWorthReading = (length: number, readLength: number): boolean =>
  length - readLength >= length >> 6

/**
 * An object while its text arrives. A long object is copied less often, so that all copies together
 * stay linear in the length of the text.
 */
export class GrowingObject {
  readonly #json = new PartialJson()
  #hasBegun = false
  #isDone = false
  #length = 0
  #shownLength = 0

  /**
   * Reads the next delta. Returns the object so far, or undefined if there is nothing new to show.
   * Text before the first `{` is skipped.
   */
  push(delta: string): Readonly<Record<string, unknown>> | undefined {
    const start = this.#hasBegun ? 0 : delta.indexOf('{')
    if (start < 0 || this.#isDone) return undefined
    this.#hasBegun = true
    this.#length += delta.length - start
    this.#json.push(delta.slice(start))
    this.#isDone = this.#json.isDone
    if (!isWorthReading(this.#length, this.#shownLength) && !this.#isDone) return undefined
    const value = this.#json.snapshot()
    if (!isObject(value)) return undefined
    this.#shownLength = this.#length
    return value
  }
}
