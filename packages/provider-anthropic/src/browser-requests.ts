import { ownRequest, refusePage } from './connection.js'
import type { buildRequests as bySdk } from './requests.js'

/**
 * What stands in the place of `requests.ts` in the bundle of a browser or a worker (`browser` in
 * package.json): the same requests without the SDK, whose base client is 31 kB there, gzipped.
 * `browser-requests.test.ts` holds the two together.
 * @throws {LlmError} `config` — as `refusePage`.
 */
export const buildRequests: typeof bySdk = (connection, dangerouslyAllowBrowser) => {
  refusePage(dangerouslyAllowBrowser)
  return (betas) => ownRequest(connection, '/v1/messages', betas)
}
