import { asObject, type WireMessage } from './wire.js'

const opening = '<thought>'
const closing = '</thought>'

/**
 * Finds the reasoning in replies of Gemini over Chat Completions: it is in the content, between
 * tags, and the messages that have some are marked (`extra_content.google.thought`). The closing
 * tag comes with the last of it, or with the first text after it.
 * @see https://ai.google.dev/gemini-api/docs/openai#thinking (read 2026-11-23)
 */
export class GoogleThoughts {
  /** True after reasoning, until other text. */
  #open = false

  /**
   * Calls `onReasoning` with the reasoning of a message or delta. Returns the rest of its content.
   */
  take(
    { content, extra_content }: Partial<WireMessage>,
    onReasoning: (text: string) => void,
  ): unknown {
    const marked =
      extra_content !== undefined && asObject(asObject(extra_content)['google'])['thought'] === true
    if (typeof content !== 'string' || !content || !(marked || this.#open)) return content
    if (marked) {
      const start = !this.#open && content.startsWith(opening) ? opening.length : 0
      // A final reply may have the mark, for its signature, and no thought.
      if (!start && !this.#open) return content
      const end = content.indexOf(closing)
      this.#open = end < 0
      onReasoning(content.slice(start, end < 0 ? undefined : end))
      return end < 0 ? '' : content.slice(end + closing.length)
    }
    this.#open = false
    return content.startsWith(closing) ? content.slice(closing.length) : content
  }
}

/**
 * The opaque fields to send back: with the mark, the text of the message would count as reasoning.
 * Undefined if there are none.
 */
export function withoutMark(extra: unknown): object | undefined {
  const { google, ...others } = asObject(extra)
  const { thought: _, ...googleFields } = asObject(google)
  const fields = { ...others, ...(Object.keys(googleFields).length && { google: googleFields }) }
  return Object.keys(fields).length ? fields : undefined
}
