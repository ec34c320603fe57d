/** The text, or its first characters and an ellipsis if it has more than `most`. */
export const shorten = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text
