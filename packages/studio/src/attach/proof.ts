import { Buffer } from 'node:buffer'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import {
  challengeForm,
  challengeHeader,
  proofHeader,
  signedText,
} from '../protocol/program-proof.js'

/** A text that nobody has signed before. */
export const newChallenge = (): string => randomBytes(32).toString('hex')

/**
 * The proof of this program for the studio that responded so; undefined if the response does not
 * prove that the studio knows the token.
 */
export function programProof(
  token: string,
  challenge: string,
  headers: IncomingHttpHeaders,
): string | undefined {
  const sign = (by: 'studio' | 'program', text: string): Buffer =>
    createHmac('sha256', token).update(signedText(by, text)).digest()
  const theirs = Buffer.from(String(headers[proofHeader]), 'hex')
  const expected = sign('studio', challenge)
  if (theirs.length !== expected.length || !timingSafeEqual(theirs, expected)) return undefined
  const asked = String(headers[challengeHeader])
  return challengeForm.test(asked) ? sign('program', asked).toString('hex') : undefined
}
