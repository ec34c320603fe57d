// A stub for your sign-in: each browser is a user of its own. The cookie is signed, so that every
// web process knows it, also one that was started after the browser signed in.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'

const cookie = 'session'

export class Sessions {
  readonly #secret: string

  /** @param secret is the same in every web process; a new one signs every user out */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** The page with a new session, unless the browser has one. */
  withSession(request: Request, page: Response): Response {
    if (this.userOf(request) !== undefined) return page
    const user = randomUUID()
    const value = `${user}.${this.#sign(user).toString('hex')}`
    page.headers.append('set-cookie', `${cookie}=${value}; HttpOnly; SameSite=Strict; Path=/`)
    return page
  }

  /** Whose request it is; undefined if its session is not signed with the secret. */
  userOf(request: Request): string | undefined {
    const pairs = (request.headers.get('cookie') ?? '').split(/; */).map((pair) => pair.split('='))
    const value = pairs.find(([name]) => name === cookie)?.[1] ?? ''
    const [user = '', signature = ''] = value.split('.')
    const expected = this.#sign(user)
    const sent = Buffer.from(signature, 'hex')
    return sent.length === expected.length && timingSafeEqual(sent, expected) ? user : undefined
  }

  #sign(user: string): Buffer {
    return createHmac('sha256', this.#secret).update(user).digest()
  }
}
