/** The key that the wire servers ask for. */
export const wireKey = 'sk-wire-0123456789abcdef'
