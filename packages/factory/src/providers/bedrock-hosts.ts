import { awsCredentialHosts, bedrockUrl } from '@modelport/catalog'
import { configError, type JsonObject } from '@modelport/core'
import type { HostEntry } from '../base/host-entry.js'
import type { ModelConfig } from '../config/model-config.js'
import { maybeHost } from './cloud-hosts.js'
import type { ResolvedModel } from './row.js'

/**
 * The address of Bedrock in a region.
 * @throws {LlmError} `config` — the region is missing, or its address is not known.
 */
export function bedrockBaseUrl({ bedrock: { region } = {} }: ModelConfig): string {
  if (region === undefined)
    throw configError(
      'bedrock: the region is missing; give bedrock: { region: "us-east-1" }, or let useEnvironmentBaseUrls read AWS_REGION',
    )
  const url = bedrockUrl(region)
  if (url === undefined)
    throw configError(
      `bedrock: region ${JSON.stringify(region)} has no known address; give it as baseUrl`,
    )
  return url
}

/**
 * The address of Claude's Messages API in the region of an address of Bedrock.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html (read
 * 2026-11-27)
 */
export const mantleUrl = (bedrock: string): string =>
  bedrock.replace('bedrock-runtime', 'bedrock-mantle').replace('amazonaws.com', 'api.aws/anthropic')

/**
 * The addresses that `AWS_BEARER_TOKEN_BEDROCK` is given for: those of the region, which `baseUrl`
 * may name.
 */
export function bedrockOrigins({ bedrock, baseUrl = '' }: ModelConfig): readonly string[] {
  const region =
    bedrock?.region ??
    /^https:[/]{2}bedrock-runtime(?:-fips)?[.]([a-z0-9-]+)[.]/.exec(baseUrl)?.[1] ??
    ''
  return [bedrockUrl(region), bedrockUrl(region, true)].filter((url) => url !== undefined)
}

/** Where AWS's standard chain may get credentials, by source. */
export const bedrockHosts = ({
  bedrock: { region = '', credentials } = {},
}: ModelConfig): readonly HostEntry[] =>
  credentials !== 'default-chain'
    ? []
    : awsCredentialHosts(region).map(([address, when]) =>
        maybeHost(address, address.startsWith('http:') ? 'metadata' : 'auth', when),
      )

/** The settings of the package: with credentials, the variable of the API key does not count. */
export const bedrockSettings = ({
  config: { bedrock: { region, credentials } = {}, apiKey },
}: ResolvedModel): JsonObject => ({
  region,
  credentials,
  ...(credentials && { apiKey }),
})
