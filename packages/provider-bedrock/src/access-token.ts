import type { CommonConfig } from '@modelport/driver'
import { RecentSecrets, requireConfig } from '@modelport/driver'
import { type BedrockConfig, configNames, fieldNames, toConnection } from './config.js'
import { fromDefaultChain } from './default-chain.js'
import { createSigner } from './sign.js'

/** AWS credentials, and the connection by which the standard chain finds them. */
export interface BedrockTokenConfig
  extends Pick<CommonConfig, 'fetch' | 'proxy' | 'enforceHosts' | 'timeouts'> {
  /** Region that the key is for. */
  readonly region: string
  /** As `createBedrock` takes them. */
  readonly credentials: NonNullable<BedrockConfig['credentials']>
}

/** A key is asked for before each attempt, so it need not last. */
const lifetimeSeconds = 900

/**
 * Gives short-term API keys of Amazon Bedrock, made of AWS credentials, to a provider that takes a
 * function for a token: `createAnthropic({ cloud: 'bedrock', authToken })`. Each call makes a key of
 * its own, on this computer, which lasts 15 minutes and has the permissions of the credentials.
 * @throws {LlmError} `config` — there are no credentials, or no region. The function rejects `auth`
 * if the source of credentials fails.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html and
 * https://github.com/aws/aws-bedrock-token-generator-js (`src/token.ts`, read 2026-11-30)
 */
export function createBedrockAccessToken(config: BedrockTokenConfig): () => Promise<string> {
  requireConfig(config, 'createBedrockAccessToken', configNames, fieldNames)
  const connection = toConnection(config)
  const { region } = connection
  const credentials =
    config.credentials === 'default-chain'
      ? fromDefaultChain(connection, { ...config, model: '-' })
      : config.credentials
  const recent = new RecentSecrets()

  return async () => {
    const signer = await createSigner(region, credentials, recent)
    const hostname = 'bedrock.amazonaws.com'
    const { query = {} } = await signer.presign(
      {
        method: 'POST',
        protocol: 'https:',
        hostname,
        path: '/',
        query: { Action: 'CallWithBearerToken' },
        headers: { host: hostname },
      },
      { expiresIn: lifetimeSeconds },
    )
    const names = Object.keys(query).toSorted()
    const pairs = names.map((name) => `${name}=${encodeURIComponent(String(query[name]))}`)
    return `bedrock-api-key-${btoa(`${hostname}/?${pairs.join('&')}&Version=1`)}`
  }
}
