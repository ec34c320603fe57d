import { awsCredentialHosts, bedrockUrl } from '@modelport/catalog'
import { configError, type LlmError, parseBaseUrl } from '@modelport/core'
import { namesOf } from '@modelport/core/settings'
import { type CommonConfig, checkApiKey } from '@modelport/driver'
import { type CredentialSource, toAwsCredentials } from './credentials.js'
import { providerName } from './error.js'
import type { ModelTraits } from './traits.js'

/** Configuration of `createBedrock`. */
export interface BedrockConfig extends CommonConfig {
  /**
   * A Bedrock API key, sent as `Authorization: Bearer`. A function is called before each attempt,
   * for keys that last for hours. Give it or `credentials`.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /**
   * AWS credentials that sign each attempt (Signature Version 4): the keys themselves, or a
   * function that is called before each attempt. `'default-chain'` asks
   * `@aws-sdk/credential-providers`, which has to be installed: it reads the environment and the
   * AWS files, and may contact STS, SSO and the metadata services. Each of these hosts is one of
   * the provider's, so `enforceHosts` decides about it.
   */
  readonly credentials?: CredentialSource | undefined
  /**
   * Region of the endpoint and of the signature, for example `us-east-1`. Default: the one in the
   * host of `baseUrl`.
   */
  readonly region?: string | undefined
  /**
   * Replaces the address: a FIPS or VPC endpoint, or a gateway. Default
   * `https://bedrock-runtime.REGION.amazonaws.com`.
   */
  readonly baseUrl?: string | undefined
  /**
   * Corrects what is known of the model, for a newer one. Default: by the model's id, from a dated
   * table.
   */
  readonly traits?: Partial<ModelTraits> | undefined
}

/** Names of {@link BedrockConfig} besides those of every provider. */
export const configNames: readonly string[] = namesOf<Omit<BedrockConfig, keyof CommonConfig>>({
  apiKey: true,
  credentials: true,
  region: true,
  baseUrl: true,
  traits: true,
})

/** Names within some of its fields. */
export const fieldNames: Readonly<Record<string, readonly string[]>> = {
  traits: namesOf<ModelTraits>({
    thinking: true,
    cache: true,
    resultStatus: true,
    forcedTools: true,
  }),
}

/** A checked connection. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly region: string
  readonly apiKey: BedrockConfig['apiKey']
  readonly credentials: CredentialSource | undefined
  /** Every `host:port` that may be contacted, that of the API first. */
  readonly hosts: readonly string[]
}

/**
 * Reads where to connect and with what.
 * @throws {LlmError} `config` — no region, no way to prove who calls, or two; `invalid-base-url`.
 */
export function toConnection({
  apiKey,
  credentials,
  ...config
}: Omit<BedrockConfig, 'model'>): Connection {
  const { baseUrl } = config
  const region =
    config.region ??
    /[/.]bedrock-runtime(?:-fips)?[.]([a-z0-9-]+)[.]/.exec(baseUrl ?? '')?.[1] ??
    ''
  const address = baseUrl ?? bedrockUrl(region)
  if (address === undefined)
    throw invalid(
      region
        ? `region ${JSON.stringify(region)} has no known endpoint; give its address as baseUrl`
        : 'region is missing; give the region of the endpoint, for example "us-east-1"',
    )
  const { href, host } = parseBaseUrl(address)
  if ((apiKey === undefined) === (credentials === undefined))
    throw invalid(`give apiKey or credentials, not ${apiKey === undefined ? 'neither' : 'both'}`)
  if (typeof credentials === 'object') toAwsCredentials(credentials)
  if (credentials !== undefined && !region)
    throw invalid('region is missing; a signature needs it next to this baseUrl')
  const chain = credentials === 'default-chain' ? awsCredentialHosts(region) : []
  return {
    baseUrl: href,
    region,
    apiKey: typeof apiKey === 'string' ? checkApiKey(apiKey, providerName) : apiKey,
    credentials,
    hosts: [host, ...chain.map(([url]) => parseBaseUrl(url).host)],
  }
}

const invalid = (message: string): LlmError => configError(`${providerName}: ${message}`)

/**
 * The path of an operation on a model. An id may be an ARN, whose colons and slashes are escaped,
 * each once.
 * @throws {LlmError} `config` — it has other characters than an id or an ARN.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (as in
 * @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 */
export function modelPath(model: string, operation: string): string {
  if (!/^(?![.]{1,2}$)[a-zA-Z0-9_.:/@-]{1,2048}$/.test(model))
    throw invalid(
      `model must be the id or the ARN of a model or an inference profile, not ${JSON.stringify(model)}`,
    )
  return `/model/${encodeURIComponent(model)}/${operation}`
}
