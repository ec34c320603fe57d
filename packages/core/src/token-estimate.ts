export const estimateTokens = (text: string, factor = 1): number => Math.ceil(text.length / 3 * factor)
