/** The longest time a platform's timer keeps; a longer one would fire at once. */
export const longestTimer: number = 2 ** 31 - 1
