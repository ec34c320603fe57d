import { createLocalClient } from '@modelport/agent'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { echoAgent } from '../server/support.js'
import { startOfficialServer } from '../support/official-server.js'

const closers: (() => void | Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

const auth = { type: 'bearer', token: 'secret' } as const
const authentication = [
  { type: 'bearer', tokens: [{ token: 'secret', principal: 'alice' }] },
] as const
const extending = () =>
  echoAgent({
    extendedCard: (principal) => ({
      name: 'echo',
      description: `Repeats what ${principal} says`,
      skills: [{ id: 'shout' }],
    }),
  })

async function ourServer(): Promise<string> {
  const server = await serve([extending()], { authentication })
  closers.push(() => server.close())
  return server.url
}

const ways = [
  ['JSON-RPC', { binding: 'JSONRPC' }],
  ['HTTP+JSON', { binding: 'HTTP+JSON' }],
] as const

describe.each(ways)('the extended card of our server, over %s', (_, way) => {
  let url = ''
  beforeAll(async () => {
    url = await ourServer()
  })

  it('the extended card of our server is given to a caller with credentials, and takes the place of the public card', async () => {
    const client = createAgentClient(url, { ...way, auth })
    expect((await client.card()).description).toBe('Repeats')
    const card = await client.extendedCard()
    expect([card.description, card.skills.map(({ id }) => id)]).toEqual([
      'Repeats what alice says',
      ['shout'],
    ])
    expect((await client.card()).description).toBe('Repeats what alice says')
    expect((await client.send('hi')).state).toBe('completed')
  })

  it('the extended card of our server is refused to a caller without credentials, or with wrong ones', async () => {
    for (const given of [undefined, { type: 'bearer', token: 'a guess' } as const]) {
      const client = createAgentClient(url, { ...way, auth: given })
      await expect(client.extendedCard()).rejects.toMatchObject({ reason: 'unauthenticated' })
      expect((await client.card()).description).toBe('Repeats')
    }
  })
})

describe('the extended card of the official server', () => {
  const extended = { token: 'secret', description: 'For friends' }
  it.each(ways)('the extended card of the official server is read over %s', async (_, way) => {
    const server = await startOfficialServer({ extended })
    closers.push(() => server.close())
    const client = createAgentClient(server.url, { ...way, auth })
    expect((await client.card()).description).toBe('The official server')
    expect((await client.extendedCard()).description).toBe('For friends')
    expect((await client.card()).description).toBe('For friends')
  })
})

describe('the extended card', () => {
  it('the extended card is not fetched if the public card does not offer one', async () => {
    const asked: string[] = []
    const server = await serve([echoAgent()])
    closers.push(() => server.close())
    const client = createAgentClient(server.url, {
      fetch: (input, init) => {
        asked.push(new URL(input as string).pathname)
        return fetch(input, init)
      },
    })
    await expect(client.extendedCard()).rejects.toMatchObject({ reason: 'unsupported-operation' })
    expect(asked).toEqual(['/.well-known/agent-card.json'])
  })

  it('the extended card is fetched again when the public card changes', async () => {
    const url = await ourServer()
    let version = 1
    const client = createAgentClient(url, {
      auth,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (!(input as string).endsWith('agent-card.json')) return response
        const headers = { 'cache-control': 'max-age=0', etag: `"${version}"` }
        if (new Headers(init?.headers).get('if-none-match') === headers.etag)
          return new Response(null, { status: 304, headers })
        return Response.json(await response.json(), { headers })
      },
    })
    await client.extendedCard()
    expect((await client.card()).description).toBe('Repeats what alice says')
    version = 2
    expect((await client.card()).description).toBe('Repeats')
  })

  it('the extended card is not given to a client in the same process, which has no authenticated caller', async () => {
    const client = createLocalClient(extending())
    await expect(client.extendedCard()).rejects.toMatchObject({ reason: 'unauthenticated' })
  })
})
