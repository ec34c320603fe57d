import type { ProblemInfo } from '../../protocol/protocol.js'
import { connection, loseConnection, sessionKey } from './connection.js'

const unreachable = 'The studio does not respond. The page tries again by itself.'

/** A request that the studio refused, with its own message. */
export class StudioError extends Error {
  readonly code: string

  constructor({ error: { code, message } }: ProblemInfo) {
    super(message)
    this.code = code
  }
}

/** The one-time token that the address of the page has, if it has one. */
const tokenHere = (): string | null => new URLSearchParams(location.hash.slice(1)).get('token')

/**
 * Exchanges the one-time token of the address for a session, which all tabs of this address share:
 * only pages of the same scheme, host and port can read it. False when there is no session.
 */
export async function openSession(): Promise<boolean> {
  const token = tokenHere()
  if (token === null) return localStorage.getItem(sessionKey) !== null
  history.replaceState(undefined, '', location.pathname)
  return (await exchange(token)) || localStorage.getItem(sessionKey) !== null
}

/** False when the studio does not know the token, or no longer. */
async function exchange(token: string): Promise<boolean> {
  const response = await fetch('/api/session', { method: 'POST', body: JSON.stringify({ token }) })
  if (!response.ok) return false
  const { session } = (await response.json()) as { readonly session: string }
  localStorage.setItem(sessionKey, session)
  return true
}

/**
 * Reads a new address of the studio that a person opens in this tab: only the fragment differs, so
 * the browser does not load the page anew. The page then starts again where it was.
 */
export function takeNewAddresses(): void {
  addEventListener('hashchange', (event) => {
    const token = tokenHere()
    if (token === null) return
    // An address with a token shows nothing: only this function reads it.
    event.stopImmediatePropagation()
    history.replaceState(undefined, '', event.oldURL)
    void exchange(token).then(
      (isOpen) => isOpen && location.reload(),
      () => undefined,
    )
  })
}

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const session = localStorage.getItem(sessionKey) ?? ''
  const response = await fetch(path, {
    ...init,
    headers: { 'x-modelport-session': session },
  }).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause
    loseConnection()
    throw new StudioError({ error: { code: 'unreachable', message: unreachable } })
  })
  if (response.ok) {
    if (connection.value === 'lost') connection.value = 'ok'
    return response
  }
  if (response.status === 403) connection.value = 'refused'
  const body = (await response.json().catch(() => undefined)) as ProblemInfo | undefined
  throw new StudioError(
    body ?? { error: { code: String(response.status), message: response.statusText } },
  )
}

/** Reads JSON. */
export async function get<Value>(path: string): Promise<Value> {
  return (await (await send(path)).json()) as Value
}

/** Sends JSON and reads the JSON of the response, if it has a body. */
export async function post<Value>(path: string, body: unknown = {}): Promise<Value> {
  const response = await send(path, { method: 'POST', body: JSON.stringify(body) })
  return (response.status === 204 ? undefined : await response.json()) as Value
}

/** Deletes what the path names. */
export async function remove(path: string): Promise<void> {
  await send(path, { method: 'DELETE' })
}

/** Reads Server-Sent Events, each of which is a JSON list. */
export async function* stream<Item>(
  path: string,
  init: RequestInit = {},
): AsyncGenerator<readonly Item[]> {
  const { body } = await send(path, init)
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const messages = (rest + value).split('\n\n')
      rest = messages.pop() ?? ''
      for (const message of messages) {
        const line = message.split('\n').find((one) => one.startsWith('data: '))
        if (line !== undefined) yield JSON.parse(line.slice('data: '.length)) as readonly Item[]
      }
    }
  } catch (error) {
    if (!init.signal?.aborted) loseConnection()
    throw error
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
