import type { Parser } from './parser.js'

const parser: Parser<string> = {
  shape: { kind: 'text' },
  read: (text) => ({ ok: true, value: text }),
  partial: (text) => text,
}

/** Accepts any reply; the value is its text. */
export const text = (): Parser<string> => parser
