import { AgentError } from '@modelport/agent'
import { isObject } from '@modelport/core'
import { invalidParams } from '../base/invalid-params.js'
import { readLimited } from '../base/read-limited.js'
import type { RequestContext } from './endpoint.js'

/**
 * The body of a request as text, within the limit.
 * @throws {AgentError} `too-large`, `parse-error` (not UTF-8)
 */
export async function readText({
  request,
  maxBodyBytes,
}: Pick<RequestContext, 'request' | 'maxBodyBytes'>): Promise<string> {
  const length = request.headers.get('content-length')
  const tooLarge = (): AgentError =>
    new AgentError('too-large', `The body has more than ${maxBodyBytes} bytes`)
  if (Number(length ?? 0) > maxBodyBytes) throw tooLarge()
  // Fast path: HTTP limits a body to its declared length, so it can be read at once.
  const bytes = length
    ? await request.arrayBuffer()
    : await readLimited(request.body, maxBodyBytes, tooLarge)
  if (bytes.byteLength > maxBodyBytes) throw tooLarge()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new AgentError('parse-error', 'The body is not UTF-8', { cause: error })
  }
}

/**
 * The body as JSON; an empty one is an empty object if `emptyOk`.
 * @throws {AgentError} `too-large`, `parse-error`, `content-type-not-supported`
 */
export async function readJson(context: RequestContext, emptyOk = false): Promise<unknown> {
  const text = await readText(context)
  if (!text.trim() && emptyOk) return {}
  return parseJson(context, text)
}

/** True if the body claims to be JSON, or claims nothing. */
export function isJsonType({ headers }: Request): boolean {
  const type = headers.get('content-type')
  return !type || /^application\/([\w.-]+\+)?json\b/i.test(type)
}

/** A body as JSON. @throws {AgentError} `parse-error`, `content-type-not-supported` */
export function parseJson({ request }: Pick<RequestContext, 'request'>, text: string): unknown {
  if (!isJsonType(request)) {
    const type = request.headers.get('content-type')?.slice(0, 100)
    throw new AgentError(
      'content-type-not-supported',
      `The body must be application/json, not ${type}`,
    )
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new AgentError('parse-error', 'Invalid JSON payload', { cause: error })
  }
}

/** The body as a JSON object. @throws {AgentError} also `invalid-params` */
export async function readObject(
  context: RequestContext,
  emptyOk = false,
): Promise<Readonly<Record<string, unknown>>> {
  const value = await readJson(context, emptyOk)
  if (isObject(value)) return value
  throw invalidParams('', 'expected an object', 'The body must be a JSON object')
}

/** The URIs of extensions that a request names. */
export const extensionsOf = ({ headers }: Request): readonly string[] =>
  (headers.get('a2a-extensions') ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .filter(Boolean)
    .slice(0, 50)
