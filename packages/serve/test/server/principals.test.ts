/* oxlint-disable typescript/no-explicit-any -- responses are JSON of any shape */
import { createAgent, createLocalClient, createMemoryStore } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, toPrincipalText } from '@modelport/runtime'
import type { Authentication } from '@modelport/serve'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { echoAgent, say, testServer } from './support.js'

const audience = 'https://agents.example'
const pairs = {
  'https://staff.example': await generateKeyPair('ES256'),
  'https://shop.example': await generateKeyPair('ES256'),
}
type Issuer = keyof typeof pairs

const jwtRow = async (issuer: Issuer): Promise<Authentication> => ({
  type: 'jwt',
  keys: [await exportJWK(pairs[issuer].publicKey)],
  issuer,
  audience,
  algorithms: ['ES256'],
})

const tokenOf = async (issuer: Issuer, subject: string): Promise<Record<string, string>> => {
  const token = await new SignJWT({ iss: issuer, aud: audience, sub: subject })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('5m')
    .sign(pairs[issuer].privateKey)
  return { authorization: `Bearer ${token}` }
}

const rows = [await jwtRow('https://staff.example'), await jwtRow('https://shop.example')]
const key = { type: 'apiKey', keys: [{ key: 'key-of-alice', principal: 'alice' }] } as const
const bearer = { type: 'bearer', tokens: [{ token: 'token', principal: 'alice' }] } as const

it('one subject of two issuers is two principals: neither reads the tasks and the session of the other', async () => {
  const store = createMemoryStore()
  const { rpc } = testServer({ authentication: rows, store })
  const staff = await tokenOf('https://staff.example', 'alice')
  const customer = await tokenOf('https://shop.example', 'alice')
  const secret = say('CONFIDENTIAL', { contextId: 'shared' })
  const { task } = (await rpc('SendMessage', secret, staff)).result
  expect((await rpc('ListTasks', {}, customer)).result.totalSize).toBe(0)
  expect((await rpc('GetTask', { id: task.id }, customer)).error?.code).toBe(-32001)
  await rpc('SendMessage', say('hi', { contextId: 'shared' }), customer)
  const own = toPrincipalText({ issuer: 'https://shop.example', subject: 'alice' })
  const session = { principal: own, agent: 'echo', id: 'shared' }
  expect(JSON.stringify(await store.sessions.read(session, 1))).not.toContain('CONFIDENTIAL')
  expect((await rpc('ListTasks', {}, staff)).result.totalSize).toBe(1)
})

it('a name that the owner gave is not that of a token, and is one principal in two rows', async () => {
  const { rpc } = testServer({ authentication: [...rows, key, bearer] })
  const owned = { 'x-api-key': 'key-of-alice' }
  const { task } = (await rpc('SendMessage', say('ask'), owned)).result
  const found = await rpc('GetTask', { id: task.id }, { authorization: 'Bearer token' })
  expect(found.result.id).toBe(task.id)
  for (const issuer of Object.keys(pairs) as Issuer[]) {
    const refused = await rpc('GetTask', { id: task.id }, await tokenOf(issuer, 'alice'))
    expect(refused.error?.code).toBe(-32001)
  }
})

it('a token whose subject is "local" or "anonymous" sees nothing of the program itself', async () => {
  const store = createMemoryStore()
  const agent = echoAgent()
  const own = createLocalClient(agent, { store })
  await own.send('CONFIDENTIAL')
  const open = createLocalClient(agent, { store, principal: 'anonymous' })
  await open.send('CONFIDENTIAL')
  const { rpc } = testServer({ authentication: rows, store }, [agent])
  for (const subject of ['local', 'anonymous', '["https://staff.example","alice"]']) {
    const listed = await rpc('ListTasks', {}, await tokenOf('https://shop.example', subject))
    expect([subject, listed.result.totalSize]).toEqual([subject, 0])
  }
  expect((await own.list()).total).toBe(1)
})

it('mayDecide gets the text of a principal, so that the boss of another issuer is not the boss', async () => {
  const boss = toPrincipalText({ issuer: 'https://staff.example', subject: 'boss' })
  let paid = 0
  const pay = defineTool({ name: 'pay', description: 'Pays', execute: () => `paid ${++paid}` })
  const agent = createAgent({
    card: { name: 'payer', description: 'Pays' },
    provider: createMock({ responses: [{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'done'] }),
    tools: [pay],
    policy: { rules: { 'tool.pay': 'require-approval' } },
    decisions: { mayDecide: (principal) => principal === boss },
  })
  const decide = async (issuer: Issuer): Promise<any> => {
    const { rpc } = testServer({ authentication: rows }, [agent])
    const headers = await tokenOf(issuer, 'boss')
    const { task } = (await rpc('SendMessage', say('pay'), headers)).result
    const asked = task.status.message.parts.find(({ data }: any) => data?.approval).data.approval
    const { request_id, digest } = asked
    const part = {
      data: { approval: { request_id, digest, approved: true } },
      metadata: { protolinkPartType: 'approval' },
    }
    return rpc('SendMessage', say('', { taskId: task.id, parts: [part] }), headers)
  }
  const refused = await decide('https://shop.example')
  expect([refused.error?.message, paid]).toEqual(['You may not decide about this request', 0])
})

const refusedRows: readonly (readonly [object, string])[] = [
  [
    { ...key, keys: [{ key: 'k', principal: 'local' }] },
    'authentication: the principal "local" is reserved for the program itself; choose another name, or name its issuer',
  ],
  [
    { ...bearer, tokens: [{ token: 't', principal: 'anonymous' }] },
    'the principal "anonymous" is reserved for callers of a server without authentication',
  ],
  [
    { type: 'basic', users: [{ username: 'local', password: 'p' }] },
    'the principal "local" is reserved',
  ],
  [
    { type: 'basic', users: [{ username: 'a:b', password: 'c', principal: 'x' }] },
    'authentication of type basic: a username has a colon, which ends it; choose one without',
  ],
]
it.each(refusedRows)(
  'a row that gives a reserved name, or a name that reads as another, is refused where the server is made: %j',
  (row, message) => {
    expect(() => testServer({ authentication: [row as Authentication] })).toThrow(message)
  },
)

it('a function that authenticates says who the issuer is: a bare name and a reserved one serve nobody', async () => {
  const errors: unknown[] = []
  const ask = async (principal: unknown): Promise<number> => {
    const row = { type: 'custom', scheme: { type: 'mutualTls' }, authenticate: () => principal }
    const { request } = testServer({
      authentication: [row as Authentication],
      onError: (error) => void errors.push(error),
    })
    return (await request('/tasks')).status
  }
  expect(await ask({ issuer: 'https://login.example', subject: 'local' })).toBe(200)
  expect(await ask({ subject: 'alice' })).toBe(200)
  expect(await ask(undefined)).toBe(401)
  expect(errors).toEqual([])
  expect(await ask('alice')).toBe(500)
  expect(await ask({ subject: 'local' })).toBe(500)
  expect(errors.map(String)).toEqual([
    expect.stringContaining('authenticate: "alice" is not a principal; give { issuer, subject }'),
    expect.stringContaining('authenticate: the principal "local" is reserved'),
  ])
})
