import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createBedrock } from '../src/index.js'
import { bedrock, reply, type Sent } from './support.js'

const folder = temporaryFolder('aws')
let files = 0

/**
 * The AWS files of this computer are not read; this one is. The AWS libraries read each path once.
 */
function useFile(text: string): void {
  const path = join(folder, `config-${files++}`)
  writeFileSync(path, text)
  vi.stubEnv('AWS_CONFIG_FILE', path)
}

beforeEach(() => {
  useFile('')
  for (const name of [
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_PROFILE',
    'AWS_ROLE_ARN',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
  ])
    vi.stubEnv(name, undefined)
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'))
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const assumed = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey><SessionToken>role-token</SessionToken>
<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
const role = `[profile base]
aws_access_key_id = AKIDBASE
aws_secret_access_key = base-secret
[default]
role_arn = arn:aws:iam::1:role/r
source_profile = base
`
const respond = ({ url }: Sent): Response =>
  url.hostname.startsWith('sts.')
    ? new Response(assumed, { headers: { 'content-type': 'text/xml' } })
    : reply()
const chain = { credentials: 'default-chain' } as const
const hostsOf = (sent: readonly Sent[]): string[] => sent.map(({ url }) => url.host)
const keyOf = (sent: Sent | undefined): string | undefined =>
  /Credential=([^/]+)/.exec(sent?.headers.get('authorization') ?? '')?.[1]

describe('the default chain', () => {
  test('the chain takes keys of the environment without a request', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDENV')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'env-secret')
    const { provider, sent } = bedrock(respond, {
      ...chain,
      enforceHosts: ['bedrock-runtime.us-east-1.amazonaws.com:443'],
    })
    await provider.complete('Hi')
    expect([keyOf(sent[0]), sent.length]).toEqual(['AKIDENV', 1])
  })

  test("the chain asks STS for a role with the provider's transport, once for several calls", async () => {
    useFile(role)
    const { provider, sent } = bedrock(respond, { ...chain, enforceHosts: true })
    await provider.complete('Hi')
    await provider.complete('Hi')
    const api = 'bedrock-runtime.us-east-1.amazonaws.com'
    expect(hostsOf(sent)).toEqual(['sts.us-east-1.amazonaws.com', api, api])
    expect([keyOf(sent[2]), sent[2]?.headers.get('x-amz-security-token')]).toEqual([
      'ASIAROLE',
      'role-token',
    ])
  })

  test('the chain refuses STS before its request if the list of hosts lacks it', async () => {
    useFile(role)
    const { failure, sent } = bedrock(respond, {
      ...chain,
      enforceHosts: ['bedrock-runtime.us-east-1.amazonaws.com:443'],
    })
    const error = await failure()
    expect(error.message).toContain(
      'sts.us-east-1.amazonaws.com:443, which is not among the allowed hosts',
    )
    expect([error.code, sent]).toEqual(['config', []])
  })

  test('a profile that starts a program is refused if hosts are enforced', async () => {
    useFile('[default]\ncredential_process = /bin/false\n')
    const { failure, sent } = bedrock(respond, { ...chain, enforceHosts: true })
    expect(await failure()).toMatchObject({
      code: 'config',
      message: expect.stringContaining('starts a program'),
    })
    expect(sent).toEqual([])
  })

  describe('with metadata', () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end(
        JSON.stringify({
          AccessKeyId: 'ASIACONTAINER',
          SecretAccessKey: 's',
          Token: 't',
          Expiration: '2099-01-01T00:00:00Z',
        }),
      )
    })
    beforeEach(async () => {
      asked.length = 0
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      vi.stubEnv(
        'AWS_CONTAINER_CREDENTIALS_FULL_URI',
        `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
      )
    })
    afterEach(() => new Promise((done) => server.close(done)))

    test('the chain takes the keys of a container', async () => {
      const { provider, sent } = bedrock(respond, chain)
      await provider.complete('Hi')
      expect([keyOf(sent[0]), asked]).toEqual(['ASIACONTAINER', ['/keys']])
    })

    test('the chain opens no connection to a container that is not allowed', async () => {
      const { failure } = bedrock(respond, { ...chain, enforceHosts: true })
      const error = await failure()
      expect(error.message).toContain('the metadata of the container is at 127.0.0.1:')
      expect([error.code, asked]).toEqual(['config', []])
    })

    test('the chain opens no connection to a container that a profile names', async () => {
      useFile('[default]\nrole_arn = arn:aws:iam::1:role/r\ncredential_source = EcsContainer\n')
      const { failure } = bedrock(respond, { ...chain, enforceHosts: true })
      const error = await failure()
      expect(error.message).toContain('the source of the profile "default" is at 127.0.0.1:')
      expect([error.code, asked]).toEqual(['config', []])
    })
  })

  describe("with Node's transport", () => {
    const asked: string[] = []
    const signed: string[] = []
    const webIdentity = assumed.replaceAll('AssumeRole', 'AssumeRoleWithWebIdentity')
    const ofSso = {
      roleCredentials: {
        accessKeyId: 'ASIASSO',
        secretAccessKey: 's',
        sessionToken: 't',
        expiration: Date.parse('2099-01-01T00:00:00Z'),
      },
    }
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        const { pathname } = new URL(request.url ?? '', 'http://localhost')
        if (pathname.startsWith('/model/')) {
          signed.push(/Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? '')
          response.setHeader('content-type', 'application/json')
          response.end(
            JSON.stringify({
              output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
              stopReason: 'end_turn',
              usage: { inputTokens: 1, outputTokens: 1 },
            }),
          )
          return
        }
        const action = new URLSearchParams(body).get('Action') ?? pathname
        asked.push(action)
        if (action === '/federation/credentials') response.end(JSON.stringify(ofSso))
        else {
          response.setHeader('content-type', 'text/xml')
          response.end(action.endsWith('WebIdentity') ? webIdentity : assumed)
        }
      })
    })
    let address = ''
    beforeEach(async () => {
      asked.length = 0
      signed.length = 0
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      vi.stubEnv('AWS_ENDPOINT_URL_STS', address)
      vi.stubEnv('AWS_ENDPOINT_URL_SSO', address)
    })
    afterEach(() => new Promise((done) => server.close(done)))

    const talk = () =>
      createBedrock({
        model: 'us.amazon.nova-lite-v1:0',
        region: 'us-east-1',
        baseUrl: address,
        ...chain,
      }).complete('Hi')

    test('the chain takes the role of a profile', async () => {
      useFile(role)
      expect(await talk()).toBe('Hello')
      expect([asked, signed]).toEqual([['AssumeRole'], ['ASIAROLE']])
    })

    test('the chain takes a web identity', async () => {
      const token = join(folder, 'token')
      writeFileSync(token, 'the-token')
      vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', token)
      vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::1:role/r')
      expect(await talk()).toBe('Hello')
      expect([asked, signed]).toEqual([['AssumeRoleWithWebIdentity'], ['ASIAROLE']])
    })

    test('the chain takes a session of IAM Identity Center', async () => {
      vi.stubEnv('HOME', folder)
      const cache = join(folder, '.aws/sso/cache')
      mkdirSync(cache, { recursive: true })
      const start = 'https://example.awsapps.com/start'
      const name = createHash('sha1').update(start).digest('hex')
      writeFileSync(
        join(cache, `${name}.json`),
        JSON.stringify({ accessToken: 'of-sso', expiresAt: '2099-01-01T00:00:00Z' }),
      )
      useFile(
        `[default]\nsso_start_url = ${start}\nsso_region = us-east-1\nsso_account_id = 1\nsso_role_name = r\n`,
      )
      expect(await talk()).toBe('Hello')
      expect([asked, signed]).toEqual([['/federation/credentials'], ['ASIASSO']])
    })
  })

  test('the chain opens no connection to the metadata of an instance that is not allowed', async () => {
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', undefined)
    const { failure } = bedrock(respond, {
      ...chain,
      enforceHosts: ['bedrock-runtime.us-east-1.amazonaws.com:443'],
    })
    expect((await failure()).message).toContain(
      'the metadata of the instance is at 169.254.169.254:80, which is not',
    )
  })

  test('a chain that finds nothing says so', async () => {
    const { failure } = bedrock(respond, chain)
    expect(await failure()).toMatchObject({
      code: 'auth',
      message: expect.stringContaining('the standard chain found none'),
    })
  })
})
