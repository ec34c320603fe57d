/**
 * How a program and a studio prove to each other that they know the token of programs, which goes
 * over no wire: each signs a random text of the other. A port may belong to somebody else since the
 * studio that wrote its address was killed.
 */

/** Has a random text: in a request that of the program, in its response that of the studio. */
export const challengeHeader = 'x-modelport-challenge'
/** Has the proof of the studio. */
export const proofHeader = 'x-modelport-proof'

/** What a random text looks like. */
export const challengeForm: RegExp = /^[0-9a-f]{32,128}$/

/** What is signed. Two forms, so that neither side can return a proof of the other. */
export const signedText = (by: 'studio' | 'program', challenge: string): string =>
  `modelport ${by} ${challenge}`
