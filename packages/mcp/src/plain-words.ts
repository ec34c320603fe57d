/**
 * Words of a server as a message may hold them: no control characters or marks that change how the
 * rest is shown, and not many.
 */
export const toPlainWords = (text: string, most = 1000): string =>
  text.slice(0, most).replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, '')
