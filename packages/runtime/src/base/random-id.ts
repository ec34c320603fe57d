/** 128 random bits as digits. Pages that were not loaded over TLS have no `crypto.randomUUID`. */
export const randomId = (): string => crypto.getRandomValues(new BigUint64Array(2)).join('')
