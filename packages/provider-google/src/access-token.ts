import { createRedact, LlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import type { CommonConfig } from '@modelport/driver'
import { requireConfig } from '@modelport/driver'
import { configNames, fieldNames, type GoogleVertexConfig } from './config.js'
import { createClient } from './provider.js'

/** Credentials of Google Cloud, and the connection by which they are exchanged for tokens. */
export interface GoogleTokenConfig
  extends Pick<CommonConfig, 'fetch' | 'proxy' | 'enforceHosts' | 'timeouts'> {
  /** Project, location and credentials. */
  readonly vertex: GoogleVertexConfig
}

/**
 * Gives access tokens of Google Cloud to a provider that takes a function for them: from the key of
 * a service account or application default credentials, as `createGoogle` finds them. A token is
 * kept until it expires.
 * @throws {LlmError} `config` — there are no credentials, or no project.
 */
export function createGoogleAccessToken(config: GoogleTokenConfig): () => Promise<string> {
  requireConfig(config, 'createGoogleAccessToken', configNames, fieldNames)
  const { settings, request } = createClient({ ...config, model: '-' })
  return async () => {
    try {
      const { headers } = await request('listModels', '')
      return (headers['authorization'] ?? '').replace(/^Bearer /, '')
    } catch (error) {
      const { secrets = [] } = settings
      const redact = createRedact(typeof secrets === 'function' ? secrets() : secrets)
      throw new LlmError('auth', redact(errorText(error)))
    }
  }
}
