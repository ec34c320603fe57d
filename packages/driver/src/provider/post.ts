import type { DriverIo } from '../base/driver.js'

/**
 * Posts JSON: what a driver without an SDK does in `send`. `headers` are its own; the caller's win
 * over them.
 */
export function postJson(
  io: DriverIo,
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return io.fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: io.stream ? 'text/event-stream' : 'application/json',
      ...headers,
      ...io.headers,
    },
    body: JSON.stringify(body),
  })
}
