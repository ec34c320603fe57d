import { vertexUrl } from '@modelport/catalog'
import { configError, parseBaseUrl } from '@modelport/core'
import type { Environment } from '../base/env.js'
import { type HostEntry, toHostEntry } from '../base/host-entry.js'
import { type Cloud, type CloudPlace, maybeHost } from './cloud.js'

/** Location and credentials of Vertex AI. */
export interface VertexSettings {
  /** Google Cloud project id. */
  readonly project?: string | undefined
  /** Region, `us`, `eu` or `global`. Default `global`. */
  readonly location?: string | undefined
  /** Called before each request for an OAuth access token. */
  readonly accessToken?: (() => string | Promise<string>) | undefined
  /** A service account's key. */
  readonly credentials?: { readonly client_email: string; readonly private_key: string } | undefined
  /** Looks for application default credentials. */
  readonly applicationDefault?: boolean | undefined
}

/** True for what has to be exchanged for an access token. */
const isExchanged = ({ accessToken, credentials, applicationDefault }: VertexSettings): boolean =>
  !accessToken && (!!credentials || !!applicationDefault)

/** Google Cloud's Vertex AI: the address depends on the location. */
export const vertex: Cloud<VertexSettings> = {
  fileForms: { project: 'text', location: 'text', applicationDefault: 'flag' },
  tokenSetting: 'accessToken',
  address: ({ location }) => {
    const url = vertexUrl(location)
    if (url !== undefined) return url
    throw configError(
      `vertex: location must be a region such as "europe-west1", "us", "eu" or "global", not ${JSON.stringify(location)}`,
    )
  },
  isPlaced: ({ location }) => location !== undefined,
  hasCredentials: ({ accessToken, credentials, applicationDefault }) =>
    !!(accessToken ?? credentials ?? applicationDefault),
  needsExchange: isExchanged,
  fillIn: fillInPlace,
  hosts: tokenHosts,
}

/** Location and project as Google's own SDK takes them. */
function fillInPlace(settings: VertexSettings, environment: Environment): VertexSettings {
  const location = settings.location ?? environment('GOOGLE_CLOUD_LOCATION')
  const project = settings.project ?? environment('GOOGLE_CLOUD_PROJECT')
  return { ...settings, ...(location && { location }), ...(project && { project }) }
}

/** Where access tokens come from. */
function tokenHosts(
  settings: VertexSettings,
  _: CloudPlace,
  environment: Environment,
): readonly HostEntry[] {
  if (!isExchanged(settings)) return []
  const { applicationDefault } = settings

  const exchange = toHostEntry(parseBaseUrl('https://oauth2.googleapis.com'), {
    purpose: 'auth',
    phase: 'auth',
    required: !applicationDefault,
    ...(applicationDefault && { when: "the default credentials are a key file or a user's own" }),
    source: 'default',
  })
  return applicationDefault ? [exchange, ...federation, ...metadataHosts(environment)] : [exchange]
}

const federation: readonly HostEntry[] = [
  maybeHost(
    'https://sts.googleapis.com',
    'auth',
    'the default credentials come from another identity provider',
  ),
  maybeHost(
    'https://iamcredentials.googleapis.com',
    'auth',
    'the default credentials stand for a service account',
  ),
]

/** The metadata server. Asking for default credentials asks for what the environment says of it. */
function metadataHosts(environment: Environment): readonly HostEntry[] {
  const variable = (environment('GCE_METADATA_IP') ?? environment('GCE_METADATA_HOST'))?.trim()
  const addresses = variable ? [variable] : ['metadata.google.internal', '169.254.169.254']
  const when = 'the program runs on Google Cloud, or looks whether it does'
  return addresses.map((address) => maybeHost(`http://${address}`, 'metadata', when, !!variable))
}
