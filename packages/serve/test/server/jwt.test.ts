import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { createAgentServer } from '@modelport/serve'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

const url = 'https://agents.example'
let own: Key
let foreign: Key
let call: (token?: string) => Promise<Response>

beforeAll(async () => {
  const pair = await generateKeyPair('ES256')
  own = pair.privateKey
  foreign = (await generateKeyPair('ES256')).privateKey
  const agent = createAgent({
    card: { name: 'helper', description: 'Helps' },
    provider: createMock({ defaultResponse: 'yes' }),
  })
  const server = createAgentServer([agent], {
    url,
    authentication: [
      {
        type: 'jwt',
        keys: [await exportJWK(pair.publicKey)],
        issuer: 'issuer',
        audience: url,
        algorithms: ['ES256'],
      },
    ],
  })
  call = (token) =>
    server.fetch(
      new Request(`${url}/tasks`, {
        headers: {
          'a2a-version': '1.0',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      }),
    )
})

const tokenOf = (fields: {
  issuer?: string
  audience?: string
  expires?: string
  subject?: string
  key?: Key
  kid?: string
}) => {
  const token = new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', ...(fields.kid !== undefined && { kid: fields.kid }) })
    .setIssuedAt()
  token.setIssuer(fields.issuer ?? 'issuer').setAudience(fields.audience ?? url)
  token.setExpirationTime(fields.expires ?? '5m')
  if (fields.subject !== '') token.setSubject(fields.subject ?? 'alice')
  return token.sign(fields.key ?? own)
}

const unsigned = () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'none' })}.${encode({ sub: 'alice', iss: 'issuer', aud: url })}.`
}

/** A token with claims that are left out or have another type. */
const claiming = (claims: object) =>
  new SignJWT({ iss: 'issuer', aud: url, ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(own)
const soon = Math.floor(Date.now() / 1_000) + 300

describe('authentication with a JWT', () => {
  it('authentication with a JWT accepts a token with the issuer, the audience and a valid signature', async () => {
    expect((await call(await tokenOf({}))).status).toBe(200)
  })

  it.each([
    ['another issuer', () => tokenOf({ issuer: 'somebody' })],
    ['another audience', () => tokenOf({ audience: 'https://other.example' })],
    ['an expiry in the past', () => tokenOf({ expires: '-5m' })],
    ['no subject', () => tokenOf({ subject: '' })],
    ['no expiry', () => claiming({ sub: 'alice' })],
    ['an expiry that is not a number', () => claiming({ sub: 'alice', exp: String(soon) })],
    ['a subject that is a number', () => claiming({ sub: 7, exp: soon })],
    ['a subject that is an object', () => claiming({ sub: { name: 'alice' }, exp: soon })],
    ['the signature of another key', () => tokenOf({ key: foreign })],
    ['no signature', () => Promise.resolve(unsigned())],
    ['a text that is not a token', () => Promise.resolve('not-a-token')],
  ])('authentication with a JWT refuses a token with %s', async (_what, token) => {
    const response = await call(await token())
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  it('authentication with a JWT refuses a request without a token', async () => {
    expect((await call()).status).toBe(401)
  })

  it.each([
    ['issuer', { issuer: '' }],
    ['algorithms', { algorithms: [] }],
    ['the algorithm none', { algorithms: ['none'] }],
  ])('authentication with a JWT rejects a configuration that leaves %s open', (_what, fields) => {
    const agent = createAgent({
      card: { name: 'helper', description: 'Helps' },
      handler: () => 'yes',
    })
    const row = {
      type: 'jwt',
      keys: [],
      issuer: 'issuer',
      audience: url,
      algorithms: ['ES256'],
      ...fields,
    } as const
    expect(() => createAgentServer([agent], { url, authentication: [row] })).toThrow(
      /authentication of type jwt/,
    )
  })

  it('authentication with a JWT rejects a key set that would be fetched over the network without TLS', () => {
    const agent = createAgent({
      card: { name: 'helper', description: 'Helps' },
      handler: () => 'yes',
    })
    const keys = new URL('http://keys.example.com/jwks.json')
    const row = {
      type: 'jwt',
      keys,
      issuer: 'issuer',
      audience: url,
      algorithms: ['ES256'],
    } as const
    expect(() => createAgentServer([agent], { url, authentication: [row] })).toThrow(
      'must have an https: URL',
    )
  })
})

it('two rows of one type are two schemes of the card', async () => {
  const agent = createAgent({
    card: { name: 'helper', description: 'Helps' },
    handler: () => 'yes',
  })
  const server = createAgentServer([agent], {
    url,
    authentication: ['x-k1', 'x-k2'].map((header) => ({
      type: 'apiKey',
      header,
      keys: [{ key: `key of ${header}`, principal: 'alice' }],
    })),
  })
  const response = await server.fetch(
    new Request(`${url}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } }),
  )
  expect(await response.json()).toMatchObject({
    securitySchemes: {
      apiKey: { apiKeySecurityScheme: { name: 'x-k1' } },
      'apiKey-2': { apiKeySecurityScheme: { name: 'x-k2' } },
    },
    securityRequirements: [{ schemes: { apiKey: {} } }, { schemes: { 'apiKey-2': {} } }],
  })
})

describe('authentication with the key set of a URL', () => {
  it('authentication with the key set of a URL accepts tokens of its keys, refuses others, and refuses all while it cannot be read', async () => {
    const pair = await generateKeyPair('ES256')
    const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }]
    const host = createServer((_, response) => response.end(JSON.stringify({ keys }))).listen(
      0,
      '127.0.0.1',
    )
    await new Promise((resolve) => host.once('listening', resolve))
    const { port } = host.address() as AddressInfo
    const agent = createAgent({
      card: { name: 'helper', description: 'Helps' },
      handler: () => 'yes',
    })
    const askWith = (path: string) => {
      const row = { type: 'jwt', issuer: 'issuer', audience: url, algorithms: ['ES256'] } as const
      const key = new URL(path)
      const server = createAgentServer([agent], { url, authentication: [{ ...row, keys: key }] })
      return (token: string) => {
        const headers = { 'a2a-version': '1.0', authorization: `Bearer ${token}` }
        return server.fetch(new Request(`${url}/tasks`, { headers }))
      }
    }
    const ask = askWith(`http://127.0.0.1:${port}/jwks.json`)
    expect((await ask(await tokenOf({ key: pair.privateKey, kid: 'k1' }))).status).toBe(200)
    expect((await ask(await tokenOf({ key: foreign, kid: 'k1' }))).status).toBe(401)
    expect((await ask(await tokenOf({ key: pair.privateKey, kid: 'k2' }))).status).toBe(401)
    host.close()
    host.closeAllConnections()
    const late = askWith(`http://127.0.0.1:${port}/jwks.json`)
    expect((await late(await tokenOf({ key: pair.privateKey, kid: 'k1' }))).status).toBe(401)
  })
})
