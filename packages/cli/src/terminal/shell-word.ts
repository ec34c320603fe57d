/**
 * Quotes an argument of a command that is printed to be copied, for a POSIX shell, unless it is
 * plain.
 */
export const shellWord = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
