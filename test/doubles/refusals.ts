import { appendFileSync } from 'node:fs'
import type { WireRequest, WireResponse } from '@modelport/conformance'
import { apiOf, refusalOf } from './apis.ts'
import { checkRequest } from './check-request.ts'
import { FormError, parseForm } from './form.ts'
import { isSentOnPurpose } from './on-purpose.ts'
import type { Problem, SentRequest } from './sent-request.ts'

/** A request that a double has refused. */
export interface Refusal extends Problem {
  readonly api: string
  readonly request: SentRequest
}

/** The test that runs. */
interface Running {
  file: string
  title: string
}

const running: Running = { file: '', title: '' }
const refusals: Refusal[] = []
/** Bodies that were found right: many tests send the same one again and again. */
const right = new Set<string>()
const mostRight = 5_000

/** Says which test runs from now on. */
export function begin(test: Running): void {
  Object.assign(running, test)
}

/** The refusals since the last call: a test that asked for them takes them, before its end. */
export const takeRefusals = (): readonly Refusal[] => refusals.splice(0)

/** How a server of the kit responds to a request that its vendor refuses. */
export function checkWire({ path, body, ...request }: WireRequest): WireResponse | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '')
  const refused = refuse({ ...request, url: path }, text)
  return (
    refused && {
      status: refused.status,
      headers: { 'content-type': 'application/json' },
      pieces: [JSON.stringify(refused.body)],
    }
  )
}

/** How the vendor refuses a request; undefined where the request is right, or sent on purpose. */
export function refuse(
  request: Omit<SentRequest, 'body'>,
  content: string | Uint8Array,
): { status: number; body: object } | undefined {
  if (!apiOf({ ...request, body: undefined })) return undefined
  // Bytes that were read as text are not those that were sent: the transport has checked them.
  if (typeof content === 'string' && content.includes('\ufffd') && !content.startsWith('{'))
    return undefined
  const key =
    typeof content === 'string'
      ? `${request.headers['anthropic-beta'] ?? ''} ${request.url} ${content}`
      : ''
  if (right.has(key)) return undefined
  const sent = { ...request, body: parse(content, request.headers['content-type']) }
  const { api, problems = [] } = checkRequest(sent) ?? {}
  const refused = problems.filter((problem) => !isSentOnPurpose(running, api?.name ?? '', problem))
  const [first] = refused
  if (!problems.length && key && key.length < 20_000) {
    // Forgotten when full: a list that takes no more would be of the first files of a process, and
    // every later one would have each of its bodies read again.
    if (right.size === mostRight) right.clear()
    right.add(key)
  }
  if (!api || !first) return undefined
  const log = process.env['MODELPORT_DOUBLES_LOG']
  if (log) {
    for (const one of refused)
      appendFileSync(
        log,
        `${JSON.stringify({ api: api.name, url: request.url, ...one, file: running.file, title: running.title })}\n`,
      )
    return undefined
  }
  refusals.push(...refused.map((problem) => ({ ...problem, api: api.name, request: sent })))
  return refusalOf(api, first)
}

/** The fields of a form, or JSON; a text says why it is neither. */
export function parse(content: string | Uint8Array, contentType = ''): unknown {
  try {
    if (contentType.includes('json') && typeof content !== 'string')
      return JSON.parse(new TextDecoder().decode(content)) as unknown
    // A server of the kit reads every body as text.
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    return contentType.startsWith('multipart/') || typeof content !== 'string'
      ? parseForm(contentType, bytes)
      : (JSON.parse(content) as unknown)
  } catch (error) {
    return error instanceof FormError ? error.message : content
  }
}

/** One line for each refusal, with the body of the first. */
export function describeRefusals(found: readonly Refusal[]): string {
  const lines = [
    ...new Set(
      found.map(
        ({ api, rule, path, message }) => `${api}: ${rule}: ${path || '(body)'}: ${message}`,
      ),
    ),
  ]
  const [first] = found
  return `the vendor would refuse what this test sends:\n  ${lines.join('\n  ')}\n${first?.request.url ?? ''} ${JSON.stringify(first?.request.body).slice(0, 2000)}`
}
