// What rows share. Constants and no calls: a bundler keeps a row only where it is used.

/** The usual levels of `reasoning`, as most servers take them. */
export const low = { reasoning_effort: 'low' }
/** See {@link low}. */
export const medium = { reasoning_effort: 'medium' }
/** See {@link low}. */
export const high = { reasoning_effort: 'high' }

/** What user messages may have, where that is no sound and no file. */
export const textAndImages = ['text', 'image'] as const
