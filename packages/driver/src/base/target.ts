import { parseBaseUrl } from '@modelport/core'

/** The parts of the address of a request. */
export interface Target {
  readonly origin: string
  readonly path: string
  /** Without the query, which may hold a key. */
  readonly url: string
  /** `host:port`, as a list of allowed hosts has it. */
  readonly host: string
}

let latest: { readonly address: string; readonly target: Target } | undefined

/**
 * Parses the address of a request. Memoizes the latest: most requests of a process go to one
 * address, and parsing costs as much as a step's JSON.
 * @throws {LlmError} `invalid-base-url`
 */
export function toTarget(address: string): Target {
  if (latest?.address !== address) {
    const { host } = parseBaseUrl(address)
    const { origin, pathname, search } = new URL(address)
    latest = { address, target: { origin, path: pathname + search, url: origin + pathname, host } }
  }
  return latest.target
}
