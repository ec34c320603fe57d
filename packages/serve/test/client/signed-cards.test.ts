// The program of docs/guides/signed-cards.md, against the official server, which signs its card.
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk'
import { type AgentClient, toAgentTarget } from '@modelport/agent'
import { createAgentClient } from '@modelport/serve'

/** `keys` are those of the makers that you trust, by the id that a signature names. */
export function signedAgent(url: string, keys: ReadonlyMap<string, CryptoKey>): AgentClient {
  const verify = verifyAgentCardSignature(async (kid) => {
    const key = keys.get(kid)
    if (!key) throw new Error(`nobody whom we trust has the key ${kid}`)
    return key
  })
  return createAgentClient(url, { verifyCard: (card) => verify(AgentCard.fromJSON(card)) })
}

/** One of the `agents` of a run, so that its model delegates to it. */
export const signedTarget = (url: string, keys: ReadonlyMap<string, CryptoKey>) =>
  toAgentTarget(signedAgent(url, keys))

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOfficialServer } from '../support/official-server.js'

const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

const newKeys = () =>
  crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
let keys: CryptoKeyPair
let trusted: ReadonlyMap<string, CryptoKey>
beforeAll(async () => {
  keys = await newKeys()
  trusted = new Map([['maker-1', keys.publicKey]])
})

async function start(options: Parameters<typeof startOfficialServer>[0] = {}) {
  const server = await startOfficialServer(options)
  closers.push(server.close)
  return server
}
const signer = () => ({ key: keys.privateKey, kid: 'maker-1' })

describe('an agent whose card is signed', () => {
  it('an agent whose card is signed by a trusted maker is called', async () => {
    const { url } = await start({ signer: signer() })
    const client = signedAgent(url, trusted)
    expect((await client.send('hi')).state).toBe('completed')
    expect((await signedTarget(url, trusted)).name).toBe('sdk')
  })

  it('an agent whose card is signed has its extended card verified too', async () => {
    const extended = { token: 'secret', description: 'For friends' }
    const { url } = await start({ signer: signer(), extended })
    const seen: unknown[] = []
    const client = createAgentClient(url, {
      auth: { type: 'bearer', token: 'secret' },
      verifyCard: ({ description }) => {
        if (seen.push(description) > 1) throw new Error('not that one')
      },
    })
    await expect(client.extendedCard()).rejects.toMatchObject({ reason: 'invalid-agent-response' })
    expect(seen).toEqual(['The official server', 'For friends'])
    expect((await client.card()).description).toBe('The official server')
  })

  it.each<[string, () => Promise<Parameters<typeof startOfficialServer>[0]>]>([
    ['has no signature', async () => ({})],
    [
      'is signed by somebody else, under the same name',
      async () => ({ signer: { key: (await newKeys()).privateKey, kid: 'maker-1' } }),
    ],
    [
      'was changed after it was signed',
      async () => ({ signer: signer(), change: { description: 'Pays for you' } }),
    ],
  ])('an agent is not called if its card %s', async (_, options) => {
    const { url, requests } = await start(await options())
    const client = signedAgent(url, trusted)
    for (const call of [client.send('hi'), client.card(), client.get('1')])
      await expect(call).rejects.toMatchObject({
        reason: 'invalid-agent-response',
        message: expect.stringContaining(`verifyCard refuses the card of ${url}/: `) as string,
        cause: expect.any(Error) as Error,
      })
    expect(new Set(requests)).toEqual(new Set(['GET /.well-known/agent-card.json']))
  })

  it('an agent is verified once for calls that begin at the same time, and again when its card changes', async () => {
    const { url, change } = await start()
    const seen: unknown[] = []
    const client = createAgentClient(url, {
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        const headers = new Headers(response.headers)
        headers.set('cache-control', 'no-cache')
        return new Response(response.body, { status: response.status, headers })
      },
      verifyCard: async ({ description }) => {
        seen.push(description)
      },
    })
    await Promise.all([client.send('hi'), client.send('ho')])
    expect(seen).toEqual(['The official server'])
    change({ description: 'Another' })
    await client.card()
    expect(seen.at(-1)).toBe('Another')
  })
})
