/* oxlint-disable typescript/no-unsafe-enum-assignment -- the wire's number of an enum */
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import { createAgent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { officialRequest } from '../support/official-server.js'

let server: ListeningServer
beforeAll(async () => {
  const agent = createAgent({
    card: { name: 'weather', description: 'The weather anywhere' },
    provider: createMock({ defaultResponse: 'It is warm in Rome' }),
  })
  server = await serve([agent])
})
afterAll(() => server.close())

describe.each([
  ['JSONRPC', () => new JsonRpcTransportFactory()],
  ['HTTP+JSON', () => new RestTransportFactory()],
] as const)('the official client over %s', (_name, transport) => {
  const connect = async () => {
    const factory = new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [transport()],
        preferredTransports: [_name],
      }),
    )
    return factory.createFromUrl(server.url)
  }
  it('the official client sends a message and gets the completed task with its reply', async () => {
    const client = await connect()
    const result = await client.sendMessage(officialRequest('Is it warm?'))
    expect(JSON.stringify(result)).toContain('It is warm in Rome')
    expect(result).toMatchObject({ status: { state: 3 } })
  })

  it('a message id that the official client uses again, after its task is over, is a new message', async () => {
    const client = await connect()
    const request = officialRequest('Is it warm?')
    const idOf = async (): Promise<unknown> =>
      ((await client.sendMessage(request)) as { readonly id?: string }).id
    const [first, second] = [await idOf(), await idOf()]
    expect(first).toMatch(/./)
    expect(second).toMatch(/./)
    expect(second).not.toBe(first)
  })

  it('the official client streams a task first, then its updates up to the end', async () => {
    const client = await connect()
    const cases: string[] = []
    let text = ''
    for await (const event of client.sendMessageStream(officialRequest('Is it warm?'))) {
      const { payload } = event as {
        payload: {
          $case: string
          value: { artifact?: { parts: { content: { value: string } }[] } }
        }
      }
      cases.push(payload.$case)
      if (payload.$case === 'artifactUpdate')
        text += payload.value.artifact?.parts[0]?.content.value ?? ''
    }
    expect(cases[0]).toBe('task')
    expect(cases.at(-1)).toBe('statusUpdate')
    expect(text).toBe('It is warm in Rome')
  })

  it('the official client gets, lists and cannot cancel a completed task', async () => {
    const client = await connect()
    const task = (await client.sendMessage(officialRequest('x'))) as { id: string }
    expect(await client.getTask({ id: task.id, tenant: '' })).toMatchObject({ id: task.id })
    const page = await client.listTasks({
      tenant: '',
      contextId: '',
      status: 0,
      pageToken: '',
      pageSize: 5,
      statusTimestampAfter: undefined,
    })
    expect(page.tasks.length).toBeGreaterThan(0)
    await expect(
      client.cancelTask({ id: task.id, tenant: '', metadata: undefined }),
    ).rejects.toThrow()
    await expect(client.getTask({ id: 'none', tenant: '' })).rejects.toThrow()
  })
})
