import type { ErrorCode } from '@modelport/core'
import type { WireResponse } from './wire-format.js'
import { inBytes, inRandomChunks } from './wire-text.js'

// What the rules for providers and the cases of the served suite are made of, besides the scripts.

/** Failing statuses, each with the codes that its error may have. */
export const codesByStatus: ReadonlyMap<number, readonly ErrorCode[]> = new Map([
  [400, ['invalid-request']],
  [401, ['auth']],
  [403, ['permission']],
  [404, ['not-found']],
  [413, ['invalid-request', 'context-length', 'limit-exceeded']],
  [422, ['invalid-request']],
  [429, ['rate-limit']],
  [500, ['server']],
  [501, ['unsupported', 'server']],
  [502, ['server', 'overloaded']],
  [503, ['overloaded', 'server']],
  [529, ['overloaded']],
])

/** Statuses after which a request is tried again. */
export const retriedStatuses: readonly number[] = [429, 500, 502, 503, 529]

/** A failed response of a proxy: a page, not the API's JSON. */
export const htmlFailure = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  pieces: ['<html><body><h1>Bad Gateway</h1></body></html>'],
})

/** A page in the place of a reply, as a portal of a network sends it. */
export const signInPage: WireResponse = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  pieces: ['<!doctype html><title>Sign in</title>'],
}

/** Ways in which a network divides the bytes of a reply. */
export const splits: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array[]>> = {
  'byte by byte': inBytes,
  ...Object.fromEntries(
    [1, 2, 3, 4, 5].map((seed) => [
      `in random chunks, ${seed}`,
      (bytes: Uint8Array) => inRandomChunks(bytes, seed),
    ]),
  ),
}

/** Replies that are cut. */
export const cutScripts: readonly string[] = [
  'empty text',
  'unicode',
  'reasoning',
  'usage tail',
  'length',
  'one call',
  'parallel calls',
  'text and calls',
  'empty arguments',
]

/** Replies that are written in other ways. */
export const disguisedScripts: readonly string[] = ['unicode', 'parallel calls', 'text and calls']

/** Replies in which a failure is reported. */
export const failingScripts: readonly string[] = ['text', 'text and calls']

/** Texts in the place of a record that are not JSON. */
export const brokenRecords: readonly string[] = ['{oops', '{"a":', 'oops']

/** The mark by which gateways end a stream, whether it was whole or not. */
export const gatewayMark = (response: WireResponse): string =>
  (response.headers['content-type'] ?? '').includes('event-stream')
    ? 'data: [DONE]\n\n'
    : '[DONE]\n'

/** The server's text of a failure inside a reply. */
export const inBandErrorText = 'the engine is on fire'

/** The server's text of a failed response. */
export const errorBodyText = 'the reason why'
