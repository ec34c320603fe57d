/** Escapes characters that a terminal would act on, reorder or hide as `\uXXXX`: letters stay readable, and JSON keeps its value. */
export const toVisible = (text: string): string =>
  text.replace(hidden, (found) =>
    found === ' '
      ? found
      : found
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  )

/** Controls, spaces, invisible characters, and the blank of Braille. */
const hidden = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu
