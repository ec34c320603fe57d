import { randomBelow, seed } from '../support/seed.js'

/** Pieces that readers look for. */
const pieces = [
  '{',
  '[',
  '"',
  '\\',
  '{"a":',
  '[1,',
  '```json\n',
  '<tool_call>',
  '<a>',
  '--modelport-form-1',
  ' ',
  '\n',
  '\r',
  'data:\n',
  'data: {}\n\n',
  '{}\n',
  '{{',
  'a: ',
  '- ',
  '| ',
  '**',
  'x',
]

/** Texts of a length: each piece again and again, and all of them in an order of the seed. */
export const shapes: Readonly<Record<string, (length: number) => string>> = {
  ...Object.fromEntries(
    pieces.map((piece) => [
      JSON.stringify(piece),
      (length: number) => piece.repeat(length / piece.length),
    ]),
  ),
  'all of them': (length) => {
    const below = randomBelow(seed + 7)
    let text = ''
    while (text.length < length) text += pieces[below(pieces.length)] ?? ''
    return text
  },
}
