/* eslint-disable @typescript-eslint/no-base-to-string -- the client passes URLs as text */
import { answerOf, type ClientEvent } from '@modelport/agent'
import { protolinkClient, protolinkWire } from '@modelport/compat'
import { a2a, createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { describe, expect, it } from 'vitest'
import { echoAgent } from '../../serve/test/server/support.js'

describe('a client that speaks Protolink', () => {
  it('a client that speaks Protolink says that JSON of another server is not a card', async () => {
    const respond = (): Promise<Response> => Promise.resolve(Response.json({ status: 'ok' }))
    const client = createAgentClient('http://127.0.0.1:9', { protocol: protolinkClient, fetch: respond })
    await expect(client.send('x')).rejects.toMatchObject({
      reason: 'invalid-agent-response',
      message: expect.stringContaining('http://127.0.0.1:9/ responds, but not with the card of an agent') as string,
    })
  })

  it('a client that speaks Protolink falls back to it when there is no card of A2A', async () => {
    const server = await serve([echoAgent()], { wires: [a2a(), protolinkWire()] })
    const client = createAgentClient(server.url, {
      fallback: protolinkClient,
      fetch: (input, init) =>
        String(input).endsWith('agent-card.json')
          ? Promise.resolve(new Response(null, { status: 404 }))
          : fetch(input, init),
    })
    const done = await client.send('hi')
    expect([done.state, answerOf(done)]).toEqual(['completed', 'You said: hi'])
    await server.close()
  })

  it('a client that speaks Protolink reads a stream piece by piece, and ends with the whole task', async () => {
    const server = await serve([echoAgent()], { wires: [protolinkWire()] })
    const events: ClientEvent[] = []
    for await (const event of createAgentClient(server.url, { protocol: protolinkClient }).stream('slow'))
      events.push(event)
    await server.close()
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))).toEqual([
      'one ',
      'two ',
      'three',
    ])
    const last = events.at(-1)
    expect(last?.type === 'task' && [last.task.state, answerOf(last.task)]).toEqual(['completed', 'one two three'])
  })

  it('a client that speaks Protolink gives the reason for which a streamed task failed', async () => {
    const server = await serve([echoAgent()], { wires: [protolinkWire()] })
    let last: ClientEvent | undefined
    for await (const event of createAgentClient(server.url, { protocol: protolinkClient }).stream('fail')) last = event
    await server.close()
    expect(last?.type === 'task' && [last.task.state, answerOf(last.task)]).toEqual(['failed', 'It broke'])
  })
})
