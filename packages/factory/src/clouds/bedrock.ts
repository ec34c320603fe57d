import { awsCredentialHosts, bedrockUrl } from '@modelport/catalog'
import { configError } from '@modelport/core'
import type { Environment } from '../base/env.js'
import type { HostEntry } from '../base/host-entry.js'
import { type Cloud, type CloudPlace, type CloudQuestion, maybeHost } from './cloud.js'

/** Region and credentials of Amazon Bedrock. */
export interface BedrockSettings {
  /** Region, for example `us-east-1`. */
  readonly region?: string | undefined
  /** Called before each request for a Bedrock API key, for example one that lasts for hours. */
  readonly accessToken?: (() => string | Promise<string>) | undefined
  /**
   * AWS credentials instead of an API key: the keys, a function called before each attempt, or
   * `'default-chain'` for AWS's standard chain. They sign requests of `bedrock`, and make a key
   * that lasts 15 minutes for each attempt of `anthropic-bedrock`.
   */
  readonly credentials?: AwsKeys | (() => AwsKeys | Promise<AwsKeys>) | 'default-chain' | undefined
}

/** Keys of AWS, which sign the requests to Amazon Bedrock. */
export interface AwsKeys {
  /** Public name of the key. */
  readonly accessKeyId: string
  /** The secret that signs. */
  readonly secretAccessKey: string
  /** Needed with temporary keys. */
  readonly sessionToken?: string | undefined
}

const question: CloudQuestion = {
  setting: 'region',
  message: 'Region of AWS?',
  example: 'us-east-1',
  pattern: /^[a-z]+(-[a-z]+)+-\d$/,
  variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
}

/** Amazon Bedrock: the address depends on the region. */
export const bedrock: Cloud<BedrockSettings> = {
  fileForms: { region: 'text', credentials: ['default-chain'] },
  question,
  tokenSetting: 'accessToken',
  address: ({ region }) => {
    if (region === undefined)
      throw configError(
        'bedrock: the region is missing; give bedrock: { region: "us-east-1" }, or let useEnvironmentBaseUrls read AWS_REGION',
      )
    const url = bedrockUrl(region)
    if (url !== undefined) return url
    throw configError(
      `bedrock: region ${JSON.stringify(region)} has no known address; give it as baseUrl`,
    )
  },
  isPlaced: ({ region }) => region !== undefined,
  hasCredentials: ({ accessToken, credentials }) => !!(accessToken ?? credentials),
  needsExchange: ({ accessToken, credentials }) => !accessToken && credentials !== undefined,
  keyOrigins,
  fillIn: fillInRegion,
  hosts: chainHosts,
}

/** The addresses of a region, which `baseUrl` may name. */
function keyOrigins(settings: BedrockSettings, { baseUrl = '' }: CloudPlace): readonly string[] {
  const ofAddress = /^https:[/]{2}bedrock-runtime(?:-fips)?[.]([a-z0-9-]+)[.]/.exec(baseUrl)?.[1]
  const region = settings.region ?? ofAddress ?? ''
  return [bedrockUrl(region), bedrockUrl(region, true)].filter((url) => url !== undefined)
}

/** The region as AWS's own SDK takes it. */
function fillInRegion(settings: BedrockSettings, environment: Environment): BedrockSettings {
  const variable = question.variables.find((name) => environment(name) !== undefined)
  const region = settings.region ?? (variable && environment(variable))
  return { ...settings, ...(region && { region }) }
}

/** Where AWS's standard chain may get credentials, by source. */
function chainHosts({ region = '', credentials }: BedrockSettings): readonly HostEntry[] {
  if (credentials !== 'default-chain') return []
  return awsCredentialHosts(region).map(([address, when]) =>
    maybeHost(address, address.startsWith('http:') ? 'metadata' : 'auth', when),
  )
}
