import { type CommonConfig, createTransport, type Fetch } from '@modelport/driver'

/** Credentials come and go; more than these are not in use at a time. */
const mostSecrets = 16

/** The last access tokens and what they were got with, to be kept out of every text. */
export class RecentSecrets {
  readonly #secrets = new Set<string>()

  /** Keeps one, and forgets the oldest when there are too many. */
  add(secret: string | null | undefined): void {
    if (!secret || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    const [oldest] = this.#secrets
    if (this.#secrets.size > mostSecrets && oldest) this.#secrets.delete(oldest)
  }

  /** All that are kept. */
  get all(): readonly string[] {
    return [...this.#secrets]
  }
}

/** Fields of a request for a token that prove who asks. @see https://www.rfc-editor.org/rfc/rfc8693#section-2.1 (read 2026-11-21) */
const proofs = ['assertion', 'refresh_token', 'client_secret', 'subject_token', 'actor_token']

/**
 * The transport of requests for access tokens: the provider's own. What proves who asks is kept among the secrets: application
 * default credentials are read by nobody else here.
 */
export function createTokenFetch(config: CommonConfig, secrets: RecentSecrets): Fetch {
  const transport = createTransport(config)
  return (input, init) => {
    const form = new URLSearchParams(typeof init?.body === 'string' ? init.body : '')
    for (const name of proofs) secrets.add(form.get(name))
    return transport(input, init)
  }
}
