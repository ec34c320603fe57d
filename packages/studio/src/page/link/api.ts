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

/**
 * Exchanges the one-time token of the address for a session, which all tabs of this address share:
 * only pages of the same scheme, host and port can read it. False when there is no session.
 */
export async function openSession(): Promise<boolean> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return localStorage.getItem(sessionKey) !== null
  history.replaceState(undefined, '', location.pathname)
  const response = await fetch('/api/session', { method: 'POST', body: JSON.stringify({ token }) })
  if (!response.ok) return localStorage.getItem(sessionKey) !== null
  const { session } = (await response.json()) as { readonly session: string }
  localStorage.setItem(sessionKey, session)
  return true
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
