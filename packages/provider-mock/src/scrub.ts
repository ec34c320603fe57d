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

/** A request as it is stored and compared, and the function that took its secrets out. */
export interface ScrubbedRequest {
  readonly request: CassetteRequest
  /** Takes the secrets of this exchange out of a text, or out of a binary string. */
  readonly redact: (text: string) => string
}

const mark = '[redacted]'
const secretHeader =
  /auth|api-?key|token|secret|cookie|signature|credential|organi[sz]ation|project|account/
/**
 * Headers that are not stored: they differ between runs or computers, or describe the transfer of
 * the body and not the body that is stored.
 */
const volatileHeader =
  /^(user-agent|host|connection|keep-alive|date|age|accept-encoding|accept-language|content-length|content-encoding|transfer-encoding|idempotency-key|traceparent|tracestate|sec-.*|x-stainless-.*|x-goog-api-client|cf-ray|alt-svc|server-timing|strict-transport-security)$/
const secretQuery = /key|token|secret|sig|signature|credential|code|upload_id/i
/**
 * The boundary of an upload, which is random, and the id of an upload, with which anybody could
 * continue it.
 */
const uploadParameter = /(boundary|upload_id)=[^&;]+/g

/**
 * Length from which a key of a request is taken out everywhere. A shorter one could be a common
 * word, and is only taken out of the header or URL parameter that holds it.
 */
const shortestKey = 8

/** Length from which a secret of the options is taken out everywhere. */
const shortestSecret = 4

/** Takes the secrets out of one request. */
type Scrub = (input: string | URL | Request, init?: RequestInit) => Promise<ScrubbedRequest>

/** Makes a function that takes the secrets out of requests and of what belongs to them. */
export function createScrub({ secrets: texts = [] }: ScrubOptions): Scrub {
  const longSecrets = texts.filter((text) => text.length >= shortestSecret)
  const words = new Set(texts.filter((text) => text !== '' && text.length < shortestSecret))

  return async (input, init = {}) => {
    const request = typeof input === 'object' && 'url' in input ? input : undefined
    const url = new URL(typeof input === 'object' && 'url' in input ? input.url : input)
    const headers = new Headers(init.headers ?? request?.headers)

    const keys = [...secretsOf(headers, url), url.username, url.password]
    const redact = createSecretRedact([
      ...longSecrets,
      ...keys.filter((key) => key.length >= shortestKey),
    ])
    const text = await bodyOf(init.body ?? undefined, request)
    const body = text === undefined ? undefined : redact(text)

    return {
      redact,
      request: {
        method: init.method ?? request?.method ?? 'GET',
        url: scrubUrl(url, redact, words),
        headers: scrubHeaders(headers, (value) => redact(withoutWords(value, words))),
        ...(body && { body: tryParseJson(body) ?? body }),
      },
    }
  }
}

/** Takes these secrets out of a text, or out of a binary string. */
function createSecretRedact(secrets: readonly string[]): (text: string) => string {
  const encoder = new TextEncoder()
  const redactTexts = createRedact([
    ...secrets,
    ...secrets.map((secret) => toBinary(encoder.encode(secret))),
  ])
  const redactNumbers = maskNumbers(secrets)
  return (text) => redactTexts(redactNumbers(text))
}

/**
 * Replaces secrets that are numbers by numbers of the same length. They may stand in JSON where
 * only a number can: with a mark in its place the recorded reply would not be JSON any more. The
 * number repeats a digit that the secret does not have, so that it cannot form the secret again
 * together with the digits next to it.
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
  const stableHeaders = [...headers].filter(([name]) => !volatileHeader.test(name))
  const clean = (text: string): string => redact(text.replace(uploadParameter, '$1=-'))
  return Object.fromEntries(
    stableHeaders.map(([name, value]) => [name, isSecretHeader(name) ? mark : clean(value)]),
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
