import { LlmError } from '@modelport/core'
import { ownRequest } from './connection.js'
import { providerName } from './error.js'
import type { buildRequests as bySdk } from './requests.js'

/**
 * What stands in the place of `requests.ts` in the bundle of a browser or a worker (`browser` in package.json): the same requests
 * without the SDK, whose base client is 31 kB there, gzipped. `browser-requests.test.ts` holds the two together.
 * @throws {LlmError} `config` — a page asks, where users can see the key, and is not allowed to.
 */
export const buildRequests: typeof bySdk = (connection, dangerouslyAllowBrowser) => {
  const { window } = globalThis as { readonly window?: { readonly document?: unknown } }
  if (window?.document !== undefined && !dangerouslyAllowBrowser) {
    throw new LlmError(
      'config',
      `${providerName}: in a page users can see the key; set dangerouslyAllowBrowser: true to use it all the same, or ask from a server of your own`,
    )
  }
  return (betas) => Promise.resolve(ownRequest(connection, '/v1/messages', betas))
}
