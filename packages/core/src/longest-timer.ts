/**
 * The longest time, in milliseconds, that a timer of the platform keeps; a longer one fires at
 * once.
 */
export const longestTimer: number = 2 ** 31 - 1
