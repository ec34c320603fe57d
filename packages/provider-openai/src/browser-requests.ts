import { ownRequest, refusePage } from './own-requests.js'
import type { buildRequests as bySdk } from './requests.js'

/**
 * What stands in the place of `requests.ts` in the bundle of a browser or a worker (`browser` in
 * package.json): the same requests without the SDK, which is 84 kB there, gzipped.
 * `browser-requests.test.ts` holds the two together.
 * @throws {LlmError} `config` — as `refusePage`.
 */
export const buildRequests: typeof bySdk = (endpoint, config) => {
  refusePage(endpoint, config)
  return (path) => ownRequest(endpoint, config, path)
}
