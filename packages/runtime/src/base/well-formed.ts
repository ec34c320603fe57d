/**
 * Text without half characters, which a cut leaves behind and servers refuse the whole request for.
 */
export const toWellFormed = (text: string): string => text.toWellFormed()

/** The beginning of a text. */
export const cut = (text: string, most: number): string =>
  text.length > most ? toWellFormed(text.slice(0, most)) : text
