import { toEscape } from './terminal-text.js'

/**
 * Escapes characters that a terminal would act on, reorder or hide as `\uXXXX`: letters stay
 * readable, and JSON keeps its value.
 */
export const toVisible = (text: string): string =>
  text.replace(hidden, (found) => (found === ' ' ? found : toEscape(found)))

/** Controls, spaces, invisible characters, and the blank of Braille. */
const hidden = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu
