/** A text in llama.cpp's grammar notation. */
export function toLiteral(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/\t/g, '\\t')
  return `"${escaped}"`
}

/**
 * The values of `format` that a grammar can enforce. Days end at 28: the grammar has no calendar.
 */
export const stringFormats: Readonly<Record<string, string>> = {
  date: 'date-text',
  time: 'time-text',
  'date-time': 'date-text "T" time-text',
  uuid: 'hex{8} "-" hex{4} "-" hex{4} "-" hex{4} "-" hex{12}',
}

/**
 * Rules of JSON that every grammar has. Numbers have only as many digits as a double holds. An
 * escape begins with `\u0` to `\uC`, so that no half of a surrogate pair is written.
 */
export const valueRules: readonly string[] = [
  'space ::= " "?',
  'any-value ::= any-object | any-array | any-string | any-number | any-boolean | any-null',
  'any-object ::= "{" (any-string ":" space any-value ("," space any-string ":" space any-value)*)? "}"',
  'any-array ::= "[" (any-value ("," space any-value)*)? "]"',
  'any-string ::= "\\"" any-char* "\\""',
  'any-char ::= plain-char | "\\\\u" [0-9a-cA-C] hex{3}',
  'plain-char ::= [^"\\\\\\x7F\\x00-\\x1F] | "\\\\" ["\\\\/bfnrt]',
  'any-number ::= any-integer ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?',
  'any-integer ::= "-"? ("0" | [1-9] [0-9]{0,14})',
  'any-boolean ::= "true" | "false"',
  'any-null ::= "null"',
  'hex ::= [0-9a-fA-F]',
  'date-text ::= [1-9] [0-9]{3} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])',
  'time-text ::= ("0" [0-9] | "1" [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("Z" | [-+] ("0" [0-9] | "1" [0-3]) ":" [0-5] [0-9])',
  ...Object.entries(stringFormats).map(
    ([format, text]) => `${format}-string ::= "\\"" ${text} "\\""`,
  ),
]
