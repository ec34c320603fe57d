import {
  type CommonConfig,
  createTransport,
  type Fetch,
  type RecentSecrets,
} from '@modelport/driver'

/**
 * Fields of a request for a token that prove who asks.
 * @see https://www.rfc-editor.org/rfc/rfc8693#section-2.1 (read 2026-11-21)
 */
const proofs = ['assertion', 'refresh_token', 'client_secret', 'subject_token', 'actor_token']

/**
 * The transport of requests for access tokens: the provider's own. What proves who asks is kept
 * among the secrets: application default credentials are read by nobody else here.
 */
export function createTokenFetch(config: CommonConfig, secrets: RecentSecrets): Fetch {
  const transport = createTransport(config)
  return (input, init) => {
    const form = new URLSearchParams(typeof init?.body === 'string' ? init.body : '')
    for (const name of proofs) secrets.add(form.get(name))
    return transport(input, init)
  }
}
