import type { MarkedExtension, TokenizerAndRendererExtension, Tokens } from 'marked'
import { escapeHtml } from './escape-html.js'

/** Formulas within a line: each alternative ends at the next mark, so that none is read twice. */
const inLine =
  /^(?:\$\$[^$]+\$\$|\$(?=[^\s$])[^$\n]*[^\s$]\$(?!\d)|\$[^\s$]\$(?!\d)|\\\((?:[^\\\n]|\\[^()\n])+\\\)|\\\[(?:[^\\\n]|\\[^[\]\n])+\\\])/

/** Characters in which the next formula is looked for at once. */
const farthest = 1000

/** The first line of a formula of several lines, and the mark that ends it. */
const firstLine = /^ {0,3}(\$\$|\\\[)[ \t]*\n/
const ends: Readonly<Record<string, string>> = { $$: '$$', '\\[': '\\]' }

/** A formula within a line, such as `$x_1$` or `\(x\)`. */
const inlineFormula: TokenizerAndRendererExtension = {
  name: 'inline-formula',
  level: 'inline',
  // A bound on the search: marked calls this again after each mark of a long text.
  start: (text) => {
    const at = text.slice(0, farthest).search(/\$|\\[([]/)
    if (at >= 0) return at
    return text.length > farthest ? farthest : undefined
  },
  tokenizer: (text) => {
    const [raw] = inLine.exec(text) ?? []
    return raw === undefined ? undefined : { type: 'inline-formula', raw }
  },
  renderer: ({ raw }) => `<code>${escapeHtml(raw)}</code>`,
}

/** A formula of several lines. One that has not ended has the rest of the text, as code has. */
const blockFormula: TokenizerAndRendererExtension = {
  name: 'block-formula',
  level: 'block',
  tokenizer: (text) => {
    const [line, mark = ''] = firstLine.exec(text) ?? []
    if (line === undefined) return undefined
    const end = text.indexOf(ends[mark] ?? '', line.length)
    const rest = end < 0 ? -1 : text.indexOf('\n', end)
    return { type: 'block-formula', raw: rest < 0 ? text : text.slice(0, rest + 1) }
  },
  renderer: ({ raw }: Tokens.Generic) => `<pre><code>${escapeHtml(raw.trimEnd())}</code></pre>`,
}

/** Formulas stay as they were written: Markdown is not read in them. */
export const maths: MarkedExtension = { extensions: [inlineFormula, blockFormula] }
