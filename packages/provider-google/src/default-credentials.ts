import type { GoogleGenAI } from '@google/genai'
import { LlmError } from '@modelport/core'
import type { MetadataServer } from './metadata-server.js'

/** A client of google-auth-library, or a part of one, with the fields that this file reads. */
type AuthPart = Readonly<Record<string, unknown>> & {
  readonly transporter?: { readonly defaults?: object }
}

/** The path of fields in the SDK to the object that finds credentials. */
const finderPath = ['apiClient', 'clientOptions', 'auth', 'googleAuth'] as const

/**
 * Parts that send requests of their own: the exchange of a federated token, and the credentials
 * that stand in for others.
 */
const sendingParts = ['stsCredential', 'sourceClient'] as const

/**
 * Makes every request for a token use the transport that the SDK was given. google-auth-library
 * passes it to the client that it makes of default credentials, but not to {@link sendingParts},
 * which would contact whatever host the credentials' file names. No option changes that. Requests
 * to the metadata server are made by {@link MetadataServer} instead of the library.
 * @see https://github.com/googleapis/google-auth-library-nodejs (10.9.1, `baseexternalclient.js`,
 * `googleauth.js`; read 2026-11-21)
 * @throws {LlmError} `unsupported` — the SDK does not show its credentials. Later, a request for a
 * token throws the same if its credentials cannot use the transport.
 */
export function guardDefaultCredentials(sdk: GoogleGenAI, metadata: MetadataServer): void {
  let auth: unknown = sdk
  for (const name of finderPath)
    auth = typeof auth === 'object' && auth !== null ? Reflect.get(auth, name) : undefined
  if (!isFinder(auth))
    throw new LlmError(
      'unsupported',
      'google: this version of the SDK does not show its credentials; use vertex.accessToken instead',
    )

  const finder = auth
  const find = finder.getClient.bind(finder)
  finder._checkIsGCE = () => metadata.isThere()
  finder.getClient = async () => {
    const client = await find()
    if (isOfMachine(client)) {
      client.refreshTokenNoCache = () => refresh(client, metadata)
      return client
    }
    guard(client, finder.clientOptions.transporterOptions)
    return client
  }
}

interface CredentialsFinder {
  getClient(): Promise<AuthPart>
  _checkIsGCE(): Promise<boolean>
  readonly clientOptions: { readonly transporterOptions: object }
}

const isFinder = (value: unknown): value is CredentialsFinder =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'getClient') === 'function' &&
  typeof Reflect.get(value, '_checkIsGCE') === 'function' &&
  typeof Reflect.get(value, 'clientOptions') === 'object'

/** The credentials of a machine on Google Cloud, which come from its metadata server. */
interface MachineClient extends AuthPart {
  readonly serviceAccountEmail: string
  readonly scopes: string | readonly string[]
  refreshTokenNoCache(): Promise<RefreshedTokens>
}

/** A token in the form of the library, which keeps the time when it expires. */
interface RefreshedTokens {
  readonly tokens: { readonly access_token: string; readonly expiry_date: number }
  readonly res: null
}

const isOfMachine = (client: AuthPart): client is MachineClient =>
  typeof client['serviceAccountEmail'] === 'string' &&
  typeof client['refreshTokenNoCache'] === 'function'

async function refresh(client: MachineClient, metadata: MetadataServer): Promise<RefreshedTokens> {
  const { serviceAccountEmail, scopes } = client
  const { access_token, expires_in } = await metadata.token(serviceAccountEmail, [scopes].flat())
  const expiry_date = Date.now() + expires_in * 1000
  return { tokens: { access_token, expiry_date }, res: null }
}

function guard(part: AuthPart, transporterOptions: object): void {
  const { subjectTokenSupplier, transporter } = part as {
    readonly subjectTokenSupplier?: object
  } & AuthPart
  if (subjectTokenSupplier && 'createMtlsHttpsAgent' in subjectTokenSupplier) {
    throw new LlmError(
      'unsupported',
      'google: default credentials with a client certificate need a transport of their own; use vertex.accessToken instead',
    )
  }
  if (transporter?.defaults) Object.assign(transporter.defaults, transporterOptions)
  for (const name of sendingParts) {
    const inner = part[name]
    if (typeof inner === 'object' && inner !== null) guard(inner as AuthPart, transporterOptions)
  }
}
