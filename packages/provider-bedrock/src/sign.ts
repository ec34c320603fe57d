import { configError, isLlmError, LlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import type { DriverIo, RecentSecrets } from '@modelport/driver'
import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'
import type { Connection } from './config.js'
import { type AwsCredentials, type CredentialSource, toAwsCredentials } from './credentials.js'
import { providerName } from './error.js'

/** Posts to a path of the API, authenticated. */
export type Post = (io: DriverIo, path: string, body: unknown) => Promise<Response>

/**
 * Sends requests with the API key, or signed. A signature covers the bytes of the body, so they are
 * fixed here, with lone surrogates replaced as the transport would do later. Each attempt asks for
 * the credentials again and has a date of its own.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html (read 2026-11-27)
 */
export function createPost(
  { baseUrl, region, apiKey }: Connection,
  credentials: Exclude<CredentialSource, 'default-chain'> | undefined,
  recent: RecentSecrets,
): Post {
  return async (io, path, body) => {
    const url = new URL(`${baseUrl}${path}`)
    const bytes = new TextEncoder().encode(JSON.stringify(body, wellFormed))
    const key =
      typeof apiKey === 'function' ? await recent.ask(`${providerName}: apiKey`, apiKey) : apiKey
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: io.stream ? 'application/vnd.amazon.eventstream' : 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...io.headers,
    }
    const init = { method: 'POST', body: bytes }
    if (credentials === undefined) return io.fetch(url, { ...init, headers })
    if (headers['authorization'] !== undefined)
      throw configError(
        `${providerName}: a header "authorization" replaces the signature; leave it out`,
      )
    const signer = await createSigner(region, credentials, recent)
    const { protocol, hostname, host, pathname } = url
    const signed = await signer.sign({
      method: 'POST',
      protocol,
      hostname,
      path: pathname,
      query: {},
      body: bytes,
      headers: { ...headers, host },
    })
    const { host: _, ...sent } = signed.headers
    return io.fetch(url, { ...init, headers: sent })
  }
}

/**
 * Signs with the credentials that are valid now.
 * @throws {LlmError} `auth` — the source of credentials fails with an error of its own; `config` —
 * it gives no keys.
 */
export async function createSigner(
  region: string,
  source: Exclude<CredentialSource, 'default-chain'>,
  recent: RecentSecrets,
): Promise<SignatureV4> {
  const keys = toAwsCredentials(typeof source === 'function' ? await ask(source) : source)
  recent.add(keys.secretAccessKey)
  recent.add(keys.sessionToken)
  return new SignatureV4({ service: 'bedrock', region, credentials: keys, sha256: Sha256 })
}

/** @throws {LlmError} `auth` — the source of credentials fails with an error of its own. */
async function ask(
  source: () => AwsCredentials | Promise<AwsCredentials>,
): Promise<AwsCredentials> {
  try {
    return await source()
  } catch (cause) {
    if (isLlmError(cause)) throw cause
    const message = errorText(cause)
    throw new LlmError('auth', `${providerName}: credentials: ${message}`, { cause })
  }
}

const wellFormed = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value
