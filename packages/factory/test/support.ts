import { expect } from 'vitest'
import {
  type Environment,
  type FactoryContext,
  type ModelConfig,
  newProvider,
} from '../src/index.js'

/** An environment of exactly these variables. */
export const environmentOf =
  (variables: Readonly<Record<string, string>>): Environment =>
  (name) =>
    variables[name]

/** No variables at all. */
export const emptyEnvironment: Environment = () => undefined

/** The error that a function throws or a promise rejects with. */
export async function failureOf(run: () => unknown): Promise<Error & { readonly code?: string }> {
  try {
    await run()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing failed')
}

/** A `fetch` that notes the addresses it is asked for and answers with a fixed response. */
export function recordingFetch(
  respond: (url: string) => Response | Promise<Response> = () => Response.json({}, { status: 401 }),
) {
  const urls: string[] = []
  const requests: { readonly url: string; readonly headers: Headers; readonly body: string }[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? input : undefined
    const url = input instanceof Request ? input.url : input.toString()
    urls.push(url)
    requests.push({
      url,
      headers: new Headers(init?.headers ?? request?.headers),
      body: typeof init?.body === 'string' ? init.body : '',
    })
    return respond(url)
  }
  return { fetch, urls, requests }
}

/** `host:port` of an address, the port always there. */
export function contacted(url: string): string {
  const { hostname, port, protocol } = new URL(url)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

/** Where a provider of the configuration really sends its first request. */
export async function wireHost(
  config: ModelConfig,
  given: FactoryContext = { environment: emptyEnvironment },
): Promise<string> {
  const recorder = recordingFetch()
  const provider = await newProvider(
    { apiKey: 'key-of-tests-0123', model: 'm', ...config, fetch: recorder.fetch },
    given,
  )
  await provider.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
  expect(recorder.urls).toHaveLength(1)
  return contacted(recorder.urls[0]!)
}
