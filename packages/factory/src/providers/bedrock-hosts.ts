import { configError, type JsonObject, parseBaseUrl } from '@modelport/core'
import { type HostEntry, toHostEntry } from '../base/host-entry.js'
import type { ModelConfig } from '../config/model-config.js'
import type { ResolvedModel } from './row.js'

/** Regions of the partitions whose endpoints end with `amazonaws.com`. */
const regionForm = /^(?!cn-|us-iso|eu-iso|eusc-)[a-z]{2}(-[a-z]+)+-\d$/

const addressOf = (region: string, fips = false): string =>
  `https://bedrock-runtime${fips ? '-fips' : ''}.${region}.amazonaws.com`

/**
 * The address of Bedrock in a region.
 * @see https://github.com/aws/aws-sdk-js-v3 (`clients/client-bedrock-runtime/src/endpoint`, 3.1164.0, read 2026-11-27)
 * @throws {LlmError} `config` — the region is missing, or its address is not known.
 */
export function bedrockBaseUrl({ bedrock }: ModelConfig): string {
  const { region, fips } = bedrock ?? {}
  if (region === undefined)
    throw configError(
      'bedrock: the region is missing; give bedrock: { region: "us-east-1" }, or let useEnvironmentBaseUrls read AWS_REGION',
    )
  if (!regionForm.test(region))
    throw configError(`bedrock: region ${JSON.stringify(region)} has no known address; give it as baseUrl`)
  return addressOf(region, fips)
}

/** The addresses that `AWS_BEARER_TOKEN_BEDROCK` is given for: those of the region, which `baseUrl` may name. */
export function bedrockOrigins({ bedrock, baseUrl = '' }: ModelConfig): readonly string[] {
  const region = bedrock?.region ?? /^https:[/]{2}bedrock-runtime(?:-fips)?[.]([a-z0-9-]+)[.]/.exec(baseUrl)?.[1] ?? ''
  return regionForm.test(region) ? [addressOf(region), addressOf(region, true)] : []
}

/** Where AWS's standard chain may get credentials, by source. The provider package has the same list. */
export function bedrockHosts({ bedrock }: ModelConfig): readonly HostEntry[] {
  const { credentials, region = '' } = bedrock ?? {}
  if (credentials !== 'default-chain') return []
  const sources: readonly (readonly [address: string, when: string])[] = [
    [`https://sts.${region}.amazonaws.com`, 'the credentials are those of a role'],
    [`https://portal.sso.${region}.amazonaws.com`, 'the profile uses IAM Identity Center in this region'],
    [`https://oidc.${region}.amazonaws.com`, 'a session of IAM Identity Center is renewed'],
    [`https://${region}.signin.aws.amazon.com`, 'a session of `aws login` is renewed'],
    ['http://169.254.169.254', 'the program runs on an instance of EC2, or looks whether it does'],
    ['http://169.254.170.2', 'the program runs in a container of ECS'],
    ['http://169.254.170.23', 'the program runs in a pod of EKS'],
  ]
  return sources.map(([address, when]) =>
    toHostEntry(parseBaseUrl(address), {
      purpose: address.startsWith('http:') ? 'metadata' : 'auth',
      ...{ phase: 'auth', required: false, when, source: 'default' },
    }),
  )
}

/** The settings of the package: with credentials, the variable of the API key does not count. */
export function bedrockSettings({ config: { bedrock, apiKey } }: ResolvedModel): JsonObject {
  const { region, credentials } = bedrock ?? {}
  return { region, credentials, ...(credentials && { apiKey }) }
}
