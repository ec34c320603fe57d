/** Escapes what a terminal would act on, reorder or not show as `\uXXXX`: nothing can hide, letters stay readable, and JSON stays the same JSON. */
export const toVisible = (text: string): string =>
  text.replace(hidden, (found) =>
    found === ' '
      ? found
      : found
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  )

/** Controls, spaces, what is not shown, and the blank of Braille. */
const hidden = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu
