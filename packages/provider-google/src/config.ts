import { vertexUrl } from '@modelport/catalog'
import { configError, parseBaseUrl } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import { type CommonConfig, checkApiKey } from '@modelport/driver'
import type { ModelTraits } from './traits.js'

/**
 * Location and credentials of Vertex AI. Give one of `accessToken`, `credentials`,
 * `applicationDefault`, or an `apiKey` next to it.
 */
export interface GoogleVertexConfig {
  /** Google Cloud project id. Needed unless an API key is used. */
  readonly project?: string | undefined
  /** Region (`europe-west1`), multi-region (`us`, `eu`) or `global`. Default `global`. */
  readonly location?: string | undefined
  /** Called before each request for an OAuth access token. */
  readonly accessToken?: (() => string | Promise<string>) | undefined
  /**
   * A service account's key. Other kinds of credentials can name hosts and programs of their own:
   * use `accessToken` for them.
   */
  readonly credentials?: ServiceAccount | undefined
  /**
   * True looks for application default credentials. Only this setting makes the provider read
   * files, the environment and the metadata server. Default false.
   */
  readonly applicationDefault?: boolean | undefined
}

/**
 * The two fields that are read of a service account's key file; the rest of it may be there too.
 */
export interface ServiceAccount {
  /** The account's address, as in its key file. */
  readonly client_email: string
  /** PEM. */
  readonly private_key: string
}

/** What `googleHosts` needs of a configuration. */
export interface GoogleEndpointConfig {
  /** Replaces the address of the API. A version at its end (`/v1beta`) is taken as `apiVersion`. */
  readonly baseUrl?: string | undefined
  /** Default `v1beta`, on Vertex AI `v1beta1`. */
  readonly apiVersion?: string | undefined
  /** Uses Vertex AI instead of the Gemini API. */
  readonly vertex?: GoogleVertexConfig | undefined
}

/** Configuration of `createGoogle`. */
export interface GoogleConfig extends GoogleEndpointConfig, CommonConfig {
  /** Key of the Gemini API, or of Vertex AI in express mode. Sent as a header, never in a URL. */
  readonly apiKey?: string | undefined
  /**
   * Corrects what is known of the model, for a newer one. Default: by the model's name, from a
   * dated table.
   */
  readonly traits?: Partial<ModelTraits> | undefined
}

/** Names of {@link GoogleConfig} besides those of every provider. */
export const configNames: readonly string[] = namesOf<Omit<GoogleConfig, keyof CommonConfig>>({
  apiKey: true,
  baseUrl: true,
  apiVersion: true,
  vertex: true,
  traits: true,
})

/** Names of the fields of `vertex` and of `traits`. */
export const fieldNames: Readonly<Record<string, readonly string[]>> = {
  vertex: namesOf<GoogleVertexConfig>({
    project: true,
    location: true,
    accessToken: true,
    credentials: true,
    applicationDefault: true,
  }),
  traits: namesOf<ModelTraits>({
    thinking: true,
    takesTemperature: true,
    schema: true,
    needsSignatures: true,
    takesMediaResults: true,
    takesSystem: true,
  }),
}

/** The address of the API. */
export interface GoogleEndpoint {
  readonly baseUrl: string
  readonly apiVersion: string
}

/** @throws {LlmError} `invalid-base-url`, `config` — the address or the location is not valid. */
export function toEndpoint(config: GoogleEndpointConfig): GoogleEndpoint {
  const { vertex } = config
  const { href } = parseBaseUrl(
    config.baseUrl ?? (vertex ? addressOf(vertex) : 'https://generativelanguage.googleapis.com'),
  )
  const version = /\/(v\d+(?:(?:alpha|beta)\d*)?)$/.exec(href)
  return {
    baseUrl: version ? href.slice(0, version.index) : href,
    apiVersion: config.apiVersion ?? version?.[1] ?? (vertex ? 'v1beta1' : 'v1beta'),
  }
}

/**
 * Every `host:port` that a provider of this configuration may contact, that of the API first. Pure:
 * nothing is looked up.
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the location is not valid.
 */
export function googleHosts(config: GoogleEndpointConfig = {}): string[] {
  const api = parseBaseUrl(toEndpoint(config).baseUrl).host
  const { credentials, applicationDefault, accessToken } = config.vertex ?? {}
  // The provider fetches no tokens.
  if (accessToken || !(credentials || applicationDefault)) return [api]

  const tokenHost = 'oauth2.googleapis.com:443'
  if (!applicationDefault) return [api, tokenHost]
  return [
    api,
    tokenHost,
    'sts.googleapis.com:443',
    'iamcredentials.googleapis.com:443',
    'metadata.google.internal:80',
    '169.254.169.254:80',
  ]
}

/**
 * The key, checked; undefined where Vertex AI is used without one.
 * @throws {LlmError} `config` — there is no way to prove who calls, or more than one.
 */
export function toCheckedKey({ apiKey, vertex }: GoogleConfig): string | undefined {
  if (!vertex) {
    if (apiKey === undefined)
      throw configError('google: pass apiKey; only newProvider reads it from GEMINI_API_KEY')
    return checkApiKey(apiKey, 'google')
  }

  const { project, accessToken, credentials, applicationDefault } = vertex
  const identities = {
    apiKey,
    accessToken,
    credentials,
    applicationDefault: applicationDefault === true ? true : undefined,
  }
  const names = Object.entries(identities)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  if (names.length !== 1) {
    throw configError(
      `google: Vertex AI needs one of apiKey, vertex.accessToken, vertex.credentials or vertex.applicationDefault, not ${names.join(' and ') || 'none'}`,
    )
  }

  if (apiKey !== undefined) return checkApiKey(apiKey, 'google')
  if (credentials && !(isText(credentials.client_email) && isText(credentials.private_key))) {
    throw configError(
      'google: vertex.credentials must have client_email and private_key, as the key file of a service account has',
    )
  }
  if (!project)
    throw configError('google: vertex.project is missing; give the id of the Google Cloud project')
  return undefined
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

function addressOf({ location }: GoogleVertexConfig): string {
  const url = vertexUrl(location)
  if (url !== undefined) return url
  throw configError(
    `google: vertex.location must be a region such as "europe-west1", "us", "eu" or "global", not ${JSON.stringify(location)}`,
  )
}
