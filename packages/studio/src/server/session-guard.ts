const tokenBytes = 24
/** Milliseconds in which the one-time token of the printed address can be exchanged. */
const tokenLifeMs = 60_000

const newToken = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(tokenBytes))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Compares in constant time, so that a timing tells nothing about a token. */
export function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let index = 0; index < other.length; index++)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index)
  return difference === 0
}

/**
 * Lets only the page of this studio in. All ports of a host share their cookies, so there is no
 * cookie: the printed address holds a one-time token in its fragment, the page exchanges it for a
 * session token, and sends that as a header. Host, Origin and Sec-Fetch-Site are checked on every
 * request, so that a name that was rebound to 127.0.0.1 is refused.
 */
export class SessionGuard {
  readonly #oneTime = new Map<string, number>()
  readonly #sessions = new Set<string>()
  #hosts: ReadonlySet<string> = new Set()
  /** What programs send that show themselves here. */
  readonly programToken: string = newToken()

  /** Sets the port once it is known: requests with another `Host` header are refused. */
  listenOn(port: number): void {
    this.#hosts = new Set(['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`))
  }

  /** A new token for an address to print; it works once, for a minute. */
  oneTimeToken(): string {
    const token = newToken()
    this.#oneTime.set(token, Date.now() + tokenLifeMs)
    return token
  }

  /** The session token for a one-time token, or undefined. */
  exchange(given: string): string | undefined {
    for (const [token, until] of this.#oneTime) {
      if (until < Date.now()) this.#oneTime.delete(token)
      else if (isSame(given, token)) {
        this.#oneTime.delete(token)
        const session = newToken()
        this.#sessions.add(session)
        return session
      }
    }
    return undefined
  }

  /** Why this request is refused before its path is looked at, or undefined. */
  problemOf(request: Request): string | undefined {
    const host = request.headers.get('host') ?? new URL(request.url).host
    if (!this.#hosts.has(host)) return `the host ${JSON.stringify(host)} is not this studio`
    const origin = request.headers.get('origin')
    if (origin !== null && origin !== `http://${host}`)
      return 'the request comes from another origin'
    const site = request.headers.get('sec-fetch-site')
    const navigates =
      request.method === 'GET' &&
      request.headers.get('sec-fetch-mode') === 'navigate' &&
      request.headers.get('sec-fetch-dest') === 'document'
    if (site !== null && site !== 'same-origin' && !navigates)
      return 'the request comes from another site'
    return undefined
  }

  /** True when the request has the token of a program. */
  hasProgramToken(request: Request): boolean {
    return isSame(request.headers.get('authorization') ?? '', `Bearer ${this.programToken}`)
  }

  /** True when the request has the token of a session. */
  hasSession(request: Request): boolean {
    const given = request.headers.get('x-modelport-session') ?? ''
    let found = false
    for (const session of this.#sessions) found = isSame(given, session) || found
    return found
  }
}
