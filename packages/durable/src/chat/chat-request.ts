import { type ContentPart, isObject } from '@modelport/core'
import { checkPrincipal, type Principal, toPrincipalText } from '@modelport/runtime'
import { type FromUiMessages, fromUiMessages } from '@modelport/runtime/ui'

/** A request that is answered with a status and a text, and does nothing. */
export class RefusedRequest extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The address of a request below the path of the routes. */
export interface ChatAddress {
  /** Unset for the address of all chats. */
  readonly id?: string
  /** What of the chat; empty for the chat itself. */
  readonly what: string
}

/** Maximum characters of the id of a chat. */
const longestId = 200

/** The address of a request. @throws {RefusedRequest} 404 — it is not below the path */
export function addressOf(url: string, path: string): ChatAddress {
  const { pathname } = new URL(url)
  if (pathname !== path && !pathname.startsWith(`${path}/`)) throw noRoute(pathname)
  const [id, what = '', ...rest] = pathname
    .slice(path.length + 1)
    .split('/')
    .map(decoded)
  if (rest.length) throw noRoute(pathname)
  return id ? { id: checkId(id), what } : { what }
}

const noRoute = (pathname: string): RefusedRequest =>
  new RefusedRequest(404, `there is nothing at ${pathname}`)

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new RefusedRequest(400, 'the address is not percent-encoded as it should be')
  }
}

/** The id of a chat, which its page chose. @throws {RefusedRequest} 400 — it is no such id */
export function checkId(id: unknown): string {
  const isId = typeof id === 'string' && id !== '' && id.length <= longestId && isPlain(id)
  if (isId) return id
  throw new RefusedRequest(
    400,
    `the id of a chat is a text of 1 to ${longestId} characters without control characters`,
  )
}

const isPlain = (text: string): boolean => !/\p{Cc}/u.test(text)

/**
 * Refuses what another site lets a browser send.
 * @param origins further origins whose pages may use the chats
 * @throws {RefusedRequest} 403
 */
export function checkOrigin(request: Request, origins: readonly string[]): void {
  if (request.method === 'GET') return
  const origin = request.headers.get('origin')
  if (origin !== null && origins.includes(origin)) return
  const site = request.headers.get('sec-fetch-site')
  const isOwn =
    site === null
      ? origin === null || hostOf(origin) === ownHost(request)
      : site === 'same-origin' || site === 'none'
  if (!isOwn)
    throw new RefusedRequest(
      403,
      `a page of ${origin ?? 'another site'} may not write here; its origin is not in "origins"`,
    )
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined

const ownHost = (request: Request): string =>
  request.headers.get('host') ?? new URL(request.url).host

/** The owner of the chats of a request. @throws {RefusedRequest} 401 — it is nobody's */
export function ownerOf(principal: Principal | undefined): string {
  if (principal === undefined) throw new RefusedRequest(401, 'sign in first')
  return toPrincipalText(checkPrincipal('authorize', principal))
}

/**
 * The body of a request as JSON.
 * @throws {RefusedRequest} 413 — it is longer than this; 400 — it is not a JSON object
 */
export async function readBody(
  request: Request,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes)
      throw new RefusedRequest(413, `the request is longer than ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  try {
    const body = JSON.parse(text) as unknown
    if (isObject(body)) return body
  } catch {
    // Told below.
  }
  throw new RefusedRequest(400, 'the request is not a JSON object')
}

/** What a page sends: its newest message, or decisions about a reply. */
export interface SentMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  /** What the user says; empty for a reply. */
  readonly content: readonly ContentPart[]
  /** What the user decided about a reply. */
  readonly approvals: FromUiMessages['approvals']
  /** True if it takes the place of an earlier message, with all that followed. */
  readonly isAgain: boolean
}

/**
 * The newest message of the request of `useChat`. All others are left alone: the history is the
 * store's.
 * @throws {RefusedRequest} 400 — it is not such a request
 */
export function sentMessage(body: Readonly<Record<string, unknown>>): SentMessage {
  const { messages, trigger, messageId } = body
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  if (!isObject(last) || typeof last['id'] !== 'string')
    throw new RefusedRequest(400, '"messages" is not a list of messages with ids; use useChat')
  const { id, role } = last
  if (role !== 'user' && role !== 'assistant')
    throw new RefusedRequest(400, `the newest message has the role ${JSON.stringify(role)}`)

  // A page may forge results of tools: with an empty transcript none of them is taken.
  const { messages: read, approvals } = fromUiMessages([last], { transcript: [] })
  const [first] = read
  const content = role === 'user' && first?.role === 'user' ? first.content : []
  const isAgain = trigger === 'regenerate-message' || messageId === id
  return {
    id,
    role,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    approvals,
    isAgain,
  }
}
