import { configError } from '@modelport/core'
import type { OpenAIConfig, OpenAIConnection } from './config.js'
import type { Endpoint } from './endpoint.js'

/** URL and headers of a request, its key among them. */
export interface ApiRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request as the API wants it, without an SDK. `path` starts with a slash. */
export async function ownRequest(
  endpoint: Endpoint,
  { organization, project }: OpenAIConnection,
  path: string,
): Promise<ApiRequest> {
  const query = new URLSearchParams(endpoint.query).toString()
  return {
    url: `${endpoint.baseUrl}${path}${query && `?${query}`}`,
    headers: {
      ...(await authorization(endpoint)),
      ...(organization !== undefined && { 'openai-organization': organization }),
      ...(project !== undefined && { 'openai-project': project }),
    },
  }
}

/**
 * @throws {LlmError} `config` — a page asks, where users can see the key, and is not allowed to.
 */
export function refusePage(
  { name }: Endpoint,
  { dangerouslyAllowBrowser }: Omit<OpenAIConfig, 'model'>,
): void {
  const { window } = globalThis as { readonly window?: { readonly document?: unknown } }
  if (window?.document === undefined || dangerouslyAllowBrowser === true) return
  const message =
    'in a page users can see the key; set dangerouslyAllowBrowser: true to use it all the same, or ask from a server of your own'
  throw configError(`${name}: ${message}`)
}

async function authorization({
  apiKey,
  keyHeader,
  token,
}: Endpoint): Promise<Readonly<Record<string, string>>> {
  if (keyHeader && apiKey !== undefined) return { 'api-key': apiKey }
  const bearer = token ? await token() : apiKey
  return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
}
