import { createHash, createHmac } from 'node:crypto'
import type { CallOptions } from '@modelport/core'
import { converseFrame as frame } from '@modelport/test-formats'
import { createBedrock } from '../src/index.js'

type BedrockConfig = Parameters<typeof createBedrock>[0]

/** A request as it was sent. */
export interface Sent {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly text: string
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- JSON
}

export const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
export const apiKey = 'ABSKQmVkcm9ja0FQSUtleS10ZXN0OjAxMjM0NTY3ODk='

/** A response of `converse`. */
export const reply = (
  content: readonly object[] = [{ text: 'Hi.' }],
  more: object = {},
): Response =>
  Response.json({
    output: { message: { role: 'assistant', content } },
    stopReason: 'end_turn',
    ...more,
  })

/** A response of `converse-stream`, in chunks of this many bytes. */
export function streamed(pieces: readonly string[], size = Number.MAX_SAFE_INTEGER): Response {
  const bytes = Buffer.from(pieces.join(''), 'latin1')
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for (let at = 0; at < bytes.length; at += size)
    chunks.push(Uint8Array.from(bytes.subarray(at, at + size)))
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/vnd.amazon.eventstream' } })
}

/** The frames of a reply in text. */
export const textFrames = (...texts: readonly string[]): string[] => [
  frame('messageStart', { role: 'assistant' }),
  ...texts.map((text) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })),
  frame('contentBlockStop', { contentBlockIndex: 0 }),
  frame('messageStop', { stopReason: 'end_turn' }),
  frame('metadata', { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } }),
]

/** A provider whose requests are recorded. */
export function bedrock(
  respond: (sent: Sent, index: number) => Response = () => reply(),
  config: Partial<BedrockConfig> = {},
) {
  const sent: Sent[] = []
  const fetch: NonNullable<BedrockConfig['fetch']> = async (input, init = {}) => {
    const text = await new Response(init.body ?? null).text()
    const request: Sent = {
      url: new URL(input instanceof Request ? input.url : input),
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      text,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    }
    sent.push(request)
    return respond(request, sent.length - 1)
  }
  const key = config.credentials === undefined ? { apiKey } : {}
  const provider = createBedrock({ model: claude, region: 'us-east-1', ...key, fetch, ...config })
  const failure = (
    options: CallOptions = { retry: { attempts: 1 } },
  ): Promise<Error & { code?: string }> =>
    provider.complete('Hi', options).then(
      () => {
        throw new Error('it did not fail')
      },
      (error: unknown) => error as Error,
    )
  return { provider, sent, failure }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()
const escape = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/**
 * The signature that AWS expects of a request, written from its documentation.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * (read 2026-11-27)
 */
export function expectedAuthorization(
  { url, method, headers, text }: Sent,
  secret: string,
): string {
  const given = headers.get('authorization') ?? ''
  const [, scope = '', names = ''] =
    /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+),/.exec(given) ?? []
  const [day = '', region = '', service = ''] = scope.split('/')
  const all = new Headers(headers)
  all.set('host', url.host)
  const canonical = [
    method,
    url.pathname.split('/').map(escape).join('/'),
    '',
    ...names
      .split(';')
      .map((name) => `${name}:${(all.get(name) ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(text),
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', headers.get('x-amz-date'), scope, sha256(canonical)].join(
    '\n',
  )
  const key = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day))
  return given.replace(/Signature=.*$/, `Signature=${hmac(key, toSign).toString('hex')}`)
}

/**
 * The signature that AWS expects in the query of a presigned POST without a body, written from the
 * same documentation.
 */
export function expectedQuerySignature(url: URL, secret: string): string {
  const scope = (url.searchParams.get('X-Amz-Credential') ?? '').replace(/^[^/]+\//, '')
  const pairs = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${escape(name)}=${escape(value)}`)
  const canonical = [
    'POST',
    url.pathname,
    pairs.toSorted().join('&'),
    `host:${url.host}`,
    '',
    'host',
    sha256(''),
  ].join('\n')
  const date = url.searchParams.get('X-Amz-Date')
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const [day = '', ...rest] = scope.split('/')
  return hmac(rest.reduce(hmac, hmac(`AWS4${secret}`, day)), toSign).toString('hex')
}
