import { LlmError } from '@modelport/core'
import { ownRequest } from './own-requests.js'
import type { buildRequests as bySdk } from './requests.js'

/**
 * What stands in the place of `requests.ts` in the bundle of a browser or a worker (`browser` in package.json): the same requests
 * without the SDK, which is 84 kB there, gzipped. `browser-requests.test.ts` holds the two together.
 * @throws {LlmError} `config` — a page asks, where users can see the key, and is not allowed to.
 */
export const buildRequests: typeof bySdk = (endpoint, config) => {
  const { window } = globalThis as { readonly window?: { readonly document?: unknown } }
  if (window?.document !== undefined && config.dangerouslyAllowBrowser !== true) {
    throw new LlmError(
      'config',
      `${endpoint.name}: in a page users can see the key; set dangerouslyAllowBrowser: true to use it all the same, or ask from a server of your own`,
    )
  }
  return (path) => ownRequest(endpoint, config, path)
}
