import { configError, LlmError } from '@modelport/core'
import { type CommonConfig, createTransport } from '@modelport/driver'
import { loadConfig, memoize, parseKnownFiles } from '@smithy/core/config'
import { type HttpRequest, HttpResponse } from '@smithy/core/protocols'
import type { AwsCredentials } from './credentials.js'
import { providerName } from './error.js'

/** @throws {LlmError} `config` — the address is of another host than the allowed ones. */
type CheckHost = (url: URL, source: string) => void

/** Temporary credentials are asked for again when they have less than this left. */
const renewMs = 300_000

/**
 * AWS's standard chain: environment, profile of the AWS files (roles, SSO, login, program), web
 * identity, then the container's or the instance's metadata. Requests to STS and SSO use the
 * provider's own transport. The metadata sources open connections of their own, and a program may
 * do anything: with `enforceHosts` their hosts are checked before, and a program is refused.
 * @throws {LlmError} `config` — on the first call: `@aws-sdk/credential-providers` is not
 * installed, or a host is not allowed.
 * @see https://github.com/aws/aws-sdk-js-v3 (`credential-provider-node` 3.972.99, read 2026-11-27)
 */
export function fromDefaultChain(
  { region, hosts }: { readonly region: string; readonly hosts: readonly string[] },
  config: CommonConfig,
): () => Promise<AwsCredentials> {
  const { enforceHosts } = config
  const allowed = enforceHosts === true ? hosts : enforceHosts === false ? undefined : enforceHosts
  const check: CheckHost = ({ protocol, host, port }, source) => {
    const target = port ? host : `${host}:${protocol === 'https:' ? 443 : 80}`
    if (allowed && !allowed.includes(target))
      throw refused(
        `${source} is at ${target}, which is not among the allowed hosts (${allowed.join(', ')})`,
      )
  }
  let chain: (() => Promise<AwsCredentials>) | undefined
  return async () => {
    chain ??= await createChain(region, config, check, allowed !== undefined)
    return chain()
  }
}

const refused = (message: string): LlmError =>
  configError(`${providerName}: credentials: ${message}`)

async function createChain(
  region: string,
  config: CommonConfig,
  check: CheckHost,
  isEnforced: boolean,
): Promise<() => Promise<AwsCredentials>> {
  const aws = await import('@aws-sdk/credential-providers').catch((cause: unknown) => {
    throw configError(
      `${providerName}: credentials 'default-chain' needs the package @aws-sdk/credential-providers; run: npm i @aws-sdk/credential-providers`,
      { cause },
    )
  })
  // A bundler for browsers puts nothing in its place: `browser` in the manifest.
  if (!('fromIni' in aws)) throw refused("'default-chain' is for Node")
  const options = {
    clientConfig: { requestHandler: createHandler(config, check) },
    parentClientConfig: { region },
  }
  const chain = aws.createCredentialChain(
    aws.fromEnv(),
    async (...input) => {
      if (isEnforced) await checkProfile(check)
      return aws.fromIni(options)(...input)
    },
    aws.fromTokenFile(options),
    async () => {
      const container = await containerAddress()
      if (container) {
        check(container, 'the metadata of the container')
        return aws.fromHttp()()
      }
      if (/^(?!false$)./i.test(await setting('AWS_EC2_METADATA_DISABLED')))
        throw new LlmError('auth', `${providerName}: credentials: the standard chain found none`)
      check(await instanceAddress(), 'the metadata of the instance')
      return aws.fromInstanceMetadata()()
    },
  )
  return memoize(
    chain,
    ({ expiration }) => expiration !== undefined && expiration.getTime() - Date.now() < renewMs,
    ({ expiration }) => expiration !== undefined,
  )
}

/** Settings as the AWS libraries read them: of the environment, else of the profile. */
const setting = (variable: string, field?: string): Promise<string> =>
  loadConfig({
    environmentVariableSelector: (environment) => environment[variable],
    configFileSelector: (profile) => (field === undefined ? undefined : profile[field]),
    default: '',
  })()

async function containerAddress(): Promise<URL | undefined> {
  const relative = await setting('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI')
  if (relative) return new URL('http://169.254.170.2')
  const full = await setting('AWS_CONTAINER_CREDENTIALS_FULL_URI')
  return full ? new URL(full) : undefined
}

async function instanceAddress(): Promise<URL> {
  const endpoint = await setting(
    'AWS_EC2_METADATA_SERVICE_ENDPOINT',
    'ec2_metadata_service_endpoint',
  )
  if (endpoint) return new URL(endpoint)
  const mode = await setting(
    'AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE',
    'ec2_metadata_service_endpoint_mode',
  )
  return new URL(mode === 'IPv6' ? 'http://[fd00:ec2::254]' : 'http://169.254.169.254')
}

/**
 * Checks what the profile, and those that it takes its credentials from, would start or contact
 * besides STS and SSO.
 */
async function checkProfile(check: CheckHost): Promise<void> {
  const profiles = await parseKnownFiles({})
  const seen = new Set<string>()
  let name: string | undefined = (await setting('AWS_PROFILE')) || 'default'
  while (name !== undefined && !seen.has(name)) {
    seen.add(name)
    const profile: Readonly<Record<string, string | undefined>> = profiles[name] ?? {}
    if (profile['credential_process'])
      throw refused(
        `the profile "${name}" starts a program, which enforceHosts cannot hold to any host`,
      )
    const source = profile['credential_source']
    if (source === 'Ec2InstanceMetadata')
      check(await instanceAddress(), `the source of the profile "${name}"`)
    if (source === 'EcsContainer')
      check(
        (await containerAddress()) ?? new URL('http://169.254.170.2'),
        `the source of the profile "${name}"`,
      )
    name = profile['source_profile']
  }
}

/**
 * Sends the chain's requests to STS, SSO and sign-in with the provider's transport, once their host
 * is checked.
 */
function createHandler(config: CommonConfig, check: CheckHost) {
  const transport = createTransport(config)
  return {
    handle: async ({
      protocol,
      hostname,
      port,
      path,
      query,
      method,
      headers,
      body,
    }: HttpRequest) => {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
      for (const [name, value] of Object.entries(query))
        for (const one of [value ?? ''].flat()) url.searchParams.append(name, one)
      check(url, 'the service that gives credentials')
      const response = await transport(url, {
        method,
        headers,
        redirect: 'manual',
        ...(body !== undefined && { body: body as string | Uint8Array<ArrayBuffer> }),
      })
      return {
        response: new HttpResponse({
          statusCode: response.status,
          headers: Object.fromEntries(response.headers),
          // The services speak XML and JSON. The thin response of Node's transport has texts only.
          body: new TextEncoder().encode(await response.text()),
        }),
      }
    },
  }
}
