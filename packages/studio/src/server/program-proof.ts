import { signedText } from '../protocol/program-proof.js'

/** The proof of one side that it knows the token, in hexadecimal digits. */
export async function proofOf(
  token: string,
  by: 'studio' | 'program',
  challenge: string,
): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(token), algorithm, false, [
    'sign',
  ])
  const signed = await crypto.subtle.sign('HMAC', key, encoder.encode(signedText(by, challenge)))
  return Array.from(new Uint8Array(signed), toHex).join('')
}

/** A text that nobody has signed before. */
export const newChallenge = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), toHex).join('')

const toHex = (byte: number): string => byte.toString(16).padStart(2, '0')
