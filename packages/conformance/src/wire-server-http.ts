import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { parseJsonOrText } from './json-text.js'
import type { WireRequest } from './wire-format.js'

/** A request as it came over HTTP. */
export async function toWireRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const body = await text(incoming)
  const headers = Object.entries(incoming.headers).map(
    ([name, value]) => [name, String(value)] as const,
  )
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: Object.fromEntries(headers),
    body: body ? parseJsonOrText(body) : undefined,
  }
}

/**
 * Writes and waits until the bytes are with the system, so that each write is a chunk of its own.
 */
export function write(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (!bytes.length) return Promise.resolve()
  return new Promise((resolve) => {
    outgoing.write(bytes, () => {
      resolve()
    })
  })
}
