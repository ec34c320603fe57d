import type { GoogleGenAI, GoogleGenAIOptions, HttpOptions } from '@google/genai'
import { configError, LlmError, parseBaseUrl } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import {
  type ApiMethod,
  type ApiRequest,
  type BuildRequest,
  pageSize,
  toTypedError,
} from './api-request.js'
import { type GoogleConfig, googleHosts, toEndpoint } from './config.js'
import { guardDefaultCredentials } from './default-credentials.js'
import { MetadataServer } from './metadata-server.js'

type AuthOptions = NonNullable<GoogleGenAIOptions['googleAuthOptions']>

/**
 * Lets the official SDK build requests, with URL, headers and authentication; it sees no body and
 * no reply, and loads at the first request. The bundle of a browser or a worker has
 * `browser-requests.ts` in the place of this file.
 */
export function buildRequests(
  config: GoogleConfig,
  apiKey: string | undefined,
  tokenFetch: Fetch,
): BuildRequest {
  let loading: Promise<GoogleGenAI> | undefined
  return async (method, model) => {
    const sdk = await (loading ??= createSdk(config, apiKey, tokenFetch))
    return requestOfSdk((httpOptions) => callMethod(sdk, method, model, httpOptions))
  }
}

/** Calls a method of the SDK with placeholders: the body that it makes from them is replaced. */
function callMethod(
  { models }: GoogleGenAI,
  method: ApiMethod,
  model: string,
  httpOptions: HttpOptions,
): Promise<unknown> {
  const generate = {
    model,
    contents: '-',
    config: {
      httpOptions,
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
    },
  }
  switch (method) {
    case 'generateContent':
      return models.generateContent(generate)
    case 'streamGenerateContent':
      return models.generateContentStream(generate)
    case 'countTokens':
      return models.countTokens({ model, contents: '-', config: { httpOptions } })
    case 'embedContent':
      return models.embedContent({ model, contents: ['-'], config: { httpOptions } })
    case 'listModels':
      return models.list({ config: { httpOptions, pageSize } })
  }
}

/**
 * The official client. Every setting that it would read from the environment is given explicitly.
 * It does not retry, since `retryOptions` are not set.
 * @throws {LlmError} `unsupported` — the SDK does not show its default credentials.
 */
async function createSdk(
  config: GoogleConfig,
  apiKey: string | undefined,
  tokenFetch: Fetch,
): Promise<GoogleGenAI> {
  const { GoogleGenAI } = await import('@google/genai')
  const { vertex } = config
  const { baseUrl, apiVersion } = toEndpoint(config)
  const common = { apiVersion, httpOptions: { baseUrl } }
  if (!vertex) return new GoogleGenAI({ ...common, vertexai: false, apiKey: apiKey ?? '' })
  const { project, location = 'global' } = vertex
  const sdk = new GoogleGenAI({
    ...common,
    vertexai: true,
    ...(project && { project, location }),
    ...(apiKey === undefined
      ? { googleAuthOptions: toAuthOptions(config, tokenFetch) }
      : { apiKey }),
  })
  if (vertex.applicationDefault) guardDefaultCredentials(sdk, new MetadataServer(config))
  return sdk
}

/**
 * What the SDK gets in place of a response, which it must not see. It is made once, since making an
 * error costs more than the rest of a request.
 */
const takenOver = new Error('modelport sends the request itself')

/**
 * The request the SDK would send: it gets an error in place of a response, and so sends, retries
 * and follows nothing. `config.httpOptions.fetch` is the SDK's own option per call, so calls that
 * run at the same time cannot mix.
 */
function requestOfSdk(call: (httpOptions: HttpOptions) => Promise<unknown>): Promise<ApiRequest> {
  return new Promise((resolve, reject) => {
    const fetch: Fetch = (input, init) => {
      const url = typeof input === 'object' && 'url' in input ? input.url : String(input)
      resolve({ url, headers: Object.fromEntries(new Headers(init?.headers)) })
      return Promise.reject(takenOver)
    }
    call({ fetch }).then(
      () => reject(new LlmError('unknown', 'google: unknown: the SDK answered without a request')),
      (error: unknown) => {
        reject(toTypedError(error))
      },
    )
  })
}

function toAuthOptions(config: GoogleConfig, tokenFetch: Fetch): AuthOptions {
  const { accessToken, credentials, project } = config.vertex ?? {}
  // With a project id here google-auth-library looks for none elsewhere.
  const common = { ...(project && { projectId: project }) }
  if (accessToken) return { ...common, authClient: toAuthClient(accessToken) }

  const { enforceHosts } = config
  const hosts = typeof enforceHosts === 'object' ? enforceHosts : googleHosts(config)
  const fetchImplementation = guardTokenFetch(tokenFetch, hosts)
  const clientOptions = { transporterOptions: { fetchImplementation, timeout: 30_000 } }
  if (!credentials) return { ...common, clientOptions }
  const account = {
    type: 'service_account',
    client_email: credentials.client_email,
    private_key: credentials.private_key,
  }
  // oxlint-disable-next-line typescript/no-deprecated -- deprecated for credentials of unknown kind; this is of one kind only
  return { ...common, credentials: account, clientOptions }
}

/** A `fetch` for access tokens that asks these hosts only, and follows no redirect. */
function guardTokenFetch(fetch: Fetch, hosts: readonly string[]): Fetch {
  return async (input, init) => {
    const url = typeof input === 'object' && 'url' in input ? input.url : String(input)
    const { host } = parseBaseUrl(url)
    if (!hosts.includes(host))
      throw configError(
        `google: ${host} is not among the hosts for access tokens (${hosts.join(', ')})`,
      )

    const headers = new Headers(init?.headers)
    const form = init?.body instanceof URLSearchParams ? init.body.toString() : undefined
    // The form is sent as text, which every transport takes. The platform's `fetch` would set the
    // content type of a form, but not of a text.
    if (form !== undefined && !headers.has('content-type'))
      headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
    return fetch(url, {
      ...init,
      ...(form !== undefined && { body: form }),
      headers: Object.fromEntries(headers),
      redirect: 'manual',
    })
  }
}

/** An auth client of which only one method is real: the SDK calls no other. */
function toAuthClient(
  accessToken: () => string | Promise<string>,
): NonNullable<AuthOptions['authClient']> {
  const client = {
    getRequestHeaders: async (): Promise<Headers> =>
      new Headers({ authorization: `Bearer ${await accessToken()}` }),
  }
  return client as NonNullable<AuthOptions['authClient']>
}
