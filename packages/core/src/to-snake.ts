/** A name in snake_case: `maxTokens` becomes `max_tokens`. */
export const toSnake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
