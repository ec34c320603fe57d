import { createRedact, headerSecrets, LlmError } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { type CassetteRequest, toBinary } from './cassette.js'

/** What to take out of a cassette besides keys, tokens and cookies, which are always removed. */
export interface ScrubOptions {
  /**
   * Texts that must not be stored, in headers, URLs or bodies. A text of fewer than 4 characters
   * occurs in many words, so it is taken out only where it stands alone in a header or in the value
   * of a URL parameter; an empty one is ignored. Give the same to record and to replay.
   */
  readonly secrets?: readonly string[]
}

/** A request in the form it is stored and compared in, with what took its secrets out. */
export interface ScrubbedRequest {
  readonly request: CassetteRequest
  /** Takes the secrets of this exchange out of a text, or out of a binary string. */
  readonly redact: (text: string) => string
}

const mark = '[redacted]'
const secretHeader =
  /auth|api-?key|token|secret|cookie|signature|credential|organi[sz]ation|project|account/
/**
 * Change from run to run, or with the computer, or say nothing once the body is stored as it was
 * read.
 */
const volatileHeader =
  /^(user-agent|host|connection|keep-alive|date|age|accept-encoding|accept-language|content-length|content-encoding|transfer-encoding|idempotency-key|traceparent|tracestate|sec-.*|x-stainless-.*|x-goog-api-client|cf-ray|alt-svc|server-timing|strict-transport-security)$/
const secretQuery = /key|token|secret|sig|signature|credential|code|upload_id/i
/**
 * The boundary of an upload, which is random, and the id of one, with which anybody could continue
 * it.
 */
const ofUpload = /(boundary|upload_id)=[^&;]+/g

/**
 * A key this long stands for itself; a shorter one could be a common word, and is only taken out
 * where keys stand.
 */
const shortestKey = 8

/** Length from which a given secret is looked for in texts. */
const shortestSecret = 4

/** Prepares scrubbing of requests and of what belongs to them. */
export function createScrub({
  secrets: given = [],
}: ScrubOptions): (input: string | URL | Request, init?: RequestInit) => Promise<ScrubbedRequest> {
  const secrets = given.filter((secret) => secret.length >= shortestSecret)
  const short = new Set(given.filter((secret) => secret !== '' && secret.length < shortestSecret))
  return async (input, init = {}) => {
    const request = typeof input === 'object' && 'url' in input ? input : undefined
    const url = new URL(typeof input === 'object' && 'url' in input ? input.url : input)
    const headers = new Headers(init.headers ?? request?.headers)
    const found = [...secretsOf(headers, url), url.username, url.password].filter(
      (text) => text.length >= shortestKey,
    )
    const words = createRedact([
      ...secrets,
      ...found,
      ...[...secrets, ...found].map((secret) => toBinary(new TextEncoder().encode(secret))),
    ])
    const numbers = maskNumbers([...secrets, ...found])
    const redact = (text: string): string => words(numbers(text))
    const text = await bodyOf(init.body ?? undefined, request)
    const clean = text === undefined ? undefined : redact(text)
    return {
      redact,
      request: {
        method: init.method ?? request?.method ?? 'GET',
        url: scrubUrl(url, redact, short),
        headers: scrubHeaders(headers, (value) => redact(withoutWords(value, short))),
        ...(clean && { body: tryParseJson(clean) ?? clean }),
      },
    }
  }
}

/**
 * Replaces secrets that are numbers by numbers of the same length. They may stand in JSON where
 * only a number can: with a mark in its place the recorded reply would not be JSON any more. A
 * digit that the secret does not have cannot make it anew together with its neighbours.
 */
function maskNumbers(secrets: readonly string[]): (text: string) => string {
  const masks = [...new Set(secrets)]
    .filter((secret) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(secret))
    .sort((a, b) => b.length - a.length)
    .map((secret) => {
      const digit = Array.from('123456789').find((one) => !secret.includes(one)) ?? '1'
      return [secret, secret.replace(/\d/g, digit)] as const
    })
  return (text) => masks.reduce((masked, [secret, mask]) => masked.replaceAll(secret, mask), text)
}

/** Headers as they are stored. */
export function scrubHeaders(
  headers: Headers,
  redact: (text: string) => string,
): Record<string, string> {
  const kept = [...headers].filter(([name]) => !volatileHeader.test(name))
  const clean = (text: string): string => redact(text.replace(ofUpload, '$1=-'))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, isSecretHeader(name) ? mark : clean(value)]),
  )
}

/** Rate-limit counts are not secrets, though their names say tokens. */
const isSecretHeader = (name: string): boolean =>
  secretHeader.test(name) && !name.includes('ratelimit')

function secretsOf(headers: Headers, url: URL): string[] {
  const values = [...headers].filter(([name]) => isSecretHeader(name)).map(([, value]) => value)
  // `Bearer abc`, `Basic abc`, `session=abc; theme=dark`
  const words = values.flatMap((value) => [
    value,
    ...value.split(/[\s;,]+/),
    ...value.split(/[\s;,=]+/),
  ])
  return [
    ...words,
    ...headerSecrets(Object.fromEntries(headers)),
    ...[...url.searchParams].filter(([name]) => secretQuery.test(name)).map(([, value]) => value),
  ]
}

/** Takes words that are a secret out of a header. */
const withoutWords = (value: string, short: ReadonlySet<string>): string =>
  short.size === 0
    ? value
    : value
        .split(/([\s;,=]+)/)
        .map((word) => (short.has(word) ? mark : word))
        .join('')

function scrubUrl(url: URL, redact: (text: string) => string, short: ReadonlySet<string>): string {
  const clean = new URL(url)
  clean.username = ''
  clean.password = ''
  for (const [name, value] of url.searchParams)
    if (secretQuery.test(name) || short.has(value)) clean.searchParams.set(name, 'redacted')
  return redact(clean.href)
}

async function bodyOf(
  body: BodyInit | undefined,
  request: Request | undefined,
): Promise<string | undefined> {
  if (body === undefined) return request?.body ? request.clone().text() : undefined
  if (typeof body === 'string') return body
  if (body instanceof ReadableStream) return 'an upload, which is not stored'
  if (body instanceof Uint8Array || body instanceof URLSearchParams)
    return new Response(body as BodyInit).text()
  throw new LlmError('unsupported', 'cassette: only requests with a text body can be recorded')
}
