/** The message of whatever was thrown: of an error its message, of anything else its text. */
export function errorText(thrown: unknown): string {
  try {
    const { message } = (thrown ?? {}) as { readonly message?: unknown }
    return typeof message === 'string' ? message : String(thrown)
  } catch {
    // Code without types may throw what has no text, or what throws when it is asked for it.
    return 'something without a message was thrown'
  }
}
