import { LlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { checkApiKey } from './api-key.js'

/**
 * The last 16 access tokens and the credentials that they were obtained with, which no text may
 * contain. More are never in use at a time.
 */
export class RecentSecrets {
  #all: readonly string[] = []

  /** Keeps a secret, and forgets the oldest when there are more than 16. */
  add(secret: string | null | undefined): void {
    if (secret && !this.#all.includes(secret)) this.#all = [...this.#all, secret].slice(-16)
  }

  /**
   * Asks a callback for an access token, and keeps it.
   * @throws {LlmError} `auth` — `whose` callback failed; `config` — it gave no token.
   */
  async ask(whose: string, callback: () => string | Promise<string>): Promise<string> {
    const pendingToken = Promise.resolve().then(callback)
    const token = await pendingToken.catch((cause: unknown) => {
      throw new LlmError('auth', `${whose} failed: ${errorText(cause)}`, {
        cause,
      })
    })
    const checked = checkApiKey(token, whose)
    this.add(checked)
    return checked
  }

  /** All that are kept. */
  get all(): readonly string[] {
    return this.#all
  }
}
