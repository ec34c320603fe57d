import type { HarnessConfig } from '@modelport/conformance'
import { type CapabilityHarness, openaiChat } from '@modelport/conformance'
import { LlmError, type RequestOptions } from '@modelport/core'
import { createEndpointClient, type EndpointClient, type HttpFailure, toProviderError } from '@modelport/driver'
import type { CapabilityCalls } from '../src/capability/capability-harness.js'
import { apiKey } from './reference-driver.js'

const name = 'reference'
const url = 'https://reference.example/v1/echo'

interface WireEcho {
  readonly words?: unknown
}

/** How the capability calls its client: what `capability-mutants.ts` breaks. */
export type CallEcho = (
  client: EndpointClient,
  text: string,
  options: RequestOptions,
  config: HarnessConfig,
) => Promise<unknown>

/** The error of a failed response. */
export function toEchoError(failure: HttpFailure): ReturnType<typeof toProviderError> {
  const { error } = (failure.body ?? {}) as { readonly error?: { readonly message?: string } }
  const message = error?.message
  return toProviderError(name, failure, {
    ...(failure.inBand && { code: 'invalid-request' as const }),
    ...(message !== undefined && { message }),
  })
}

/** Sends a text and reads its words. */
export const callEcho: CallEcho = async (client, text, options) => {
  if (!text) throw new LlmError('invalid-request', 'reference: invalid-request: the text is empty')
  const body = { text, ...options.vendor }
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await client.json<WireEcho | null>({ url, headers, body }, options)
  if (!Array.isArray(response?.words)) throw new LlmError('protocol', 'reference: protocol: the response has no words')
  return { words: response.words as readonly string[] }
}

/** A harness whose capability makes its calls so. */
export const echoHarness = (
  call: CallEcho,
  change: (calls: CapabilityCalls) => Partial<CapabilityCalls> = () => ({}),
): CapabilityHarness => ({
  name: 'the reference capability',
  apiKey,
  create: (config) => {
    const settings = { ...config, model: 'm', cheapestModel: 'm', hosts: ['reference.example:443'], secrets: [apiKey] }
    const client = createEndpointClient(name, toEchoError, settings)
    const calls: CapabilityCalls = {
      call: (options) => call(client, 'one two', options, config),
      unsupported: {
        'a song': () => Promise.reject(new LlmError('unsupported', 'reference: unsupported: songs')),
      },
      invalid: { 'an empty text': (options) => call(client, '', options, config) },
    }
    return { ...calls, ...change(calls) }
  },
  response: { headers: { 'content-type': 'application/json' }, body: '{"words":["one","två"]}' },
  expected: { words: ['one', 'två'] },
  malformed: { 'no words': { headers: { 'content-type': 'application/json' }, body: '{"words":null}' } },
  failure: (status, message, headers) => openaiChat.failure(status, message, headers),
  violations: ({ body }) => ((body as { readonly text?: unknown }).text === 'one two' ? [] : ['its text is another']),
})
