import { configError, isObject, LlmError, parseBaseUrl } from '@modelport/core'
import { type CommonConfig, createTransport, type Fetch } from '@modelport/driver'

/**
 * Where Google Cloud has its metadata server.
 * @see https://docs.cloud.google.com/compute/docs/metadata/querying-metadata (read 2026-11-28)
 */
const usualAddresses = ['http://169.254.169.254', 'http://metadata.google.internal'] as const

/** "Requests must have it", and so do responses: no other server sends it by mistake. */
const flavor = 'metadata-flavor'
/** How long a computer that is not on Google Cloud may leave the question unanswered. */
const silentMs = 3000
/** A token is a short text. */
const mostCharacters = 100_000

/** An access token with the seconds that it is valid for. */
interface MetadataToken {
  readonly access_token: string
  readonly expires_in: number
}

/**
 * The metadata server of a machine on Google Cloud, asked without any proxy: it answers with the
 * machine's own token, in clear. google-auth-library would ask it through whatever proxy the
 * environment names, and follow a redirect to any host.
 */
export class MetadataServer {
  readonly #fetch: Fetch
  readonly #allowed: readonly string[] | undefined
  #address: string | undefined

  constructor({ fetch, timeouts, enforceHosts }: CommonConfig) {
    this.#fetch = createTransport({ fetch, timeouts })
    this.#allowed = typeof enforceHosts === 'object' ? enforceHosts : undefined
  }

  /** Whether this program can ask it. */
  async isThere(): Promise<boolean> {
    const mode = setting('METADATA_SERVER_DETECTION').toLowerCase()
    if (mode === 'none') return false
    const addresses = addressesOf()
    if (mode === 'assume-present') {
      this.#address = addresses[0]
      return true
    }
    const timer = AbortSignal.timeout(silentMs)
    try {
      this.#address = await Promise.any(
        addresses.map(async (address) => {
          await this.#ask(new URL('/computeMetadata/v1/instance', address), timer)
          return address
        }),
      )
      return true
    } catch (error) {
      const refused = (error as AggregateError).errors.find(
        (one: unknown) => one instanceof LlmError && one.code === 'config',
      ) as LlmError | undefined
      if (refused) throw refused
      return false
    }
  }

  /** An access token of an account of this machine. */
  async token(account: string, scopes: readonly string[]): Promise<MetadataToken> {
    const [first] = addressesOf()
    const path = `/computeMetadata/v1/instance/service-accounts/${encodeURIComponent(account)}/token`
    const url = new URL(path, this.#address ?? first)
    if (scopes.length) url.searchParams.set('scopes', scopes.join(','))
    const token = toValue(await this.#ask(url))
    if (
      !isObject(token) ||
      typeof token['access_token'] !== 'string' ||
      typeof token['expires_in'] !== 'number'
    )
      throw failure('its response has no access token')
    return { access_token: token['access_token'], expires_in: token['expires_in'] }
  }

  async #ask(url: URL, signal?: AbortSignal): Promise<string> {
    const { host } = parseBaseUrl(url.href)
    if (this.#allowed && !this.#allowed.includes(host))
      throw configError(
        `google: the metadata server ${host} is not among the hosts for access tokens (${this.#allowed.join(', ')})`,
      )
    const response = await this.#fetch(url.href, {
      headers: { [flavor]: 'Google' },
      redirect: 'manual',
      signal: signal ?? AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    if (response.status !== 200) throw failure(`it responds with status ${response.status}`)
    if (response.headers.get(flavor) !== 'Google')
      throw failure(`what responds at ${host} is not the metadata server`)
    if (text.length > mostCharacters) throw failure('its response is too long')
    return text
  }
}

const failure = (what: string): LlmError =>
  new LlmError('auth', `google: the metadata server: ${what}`)

function addressesOf(): readonly string[] {
  const own = setting('GCE_METADATA_IP') || setting('GCE_METADATA_HOST')
  if (!own) return usualAddresses
  return [/^https?:\/\//.test(own) ? own : `http://${own}`]
}

/** What the environment says of default credentials, as google-auth-library reads it. */
function setting(name: string): string {
  const { process } = globalThis as {
    readonly process?: { readonly env: Readonly<Record<string, string | undefined>> }
  }
  // eslint-disable-next-line no-restricted-syntax -- asking for default credentials is asking for what the environment says of them
  return process?.env[name]?.trim() ?? ''
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
