import type { Provider } from '@modelport/core'
import { createMock, type MockTurn } from '@modelport/provider-mock'
import { defineTool, type InferRequest } from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { createChatServer } from '../src/chat-server.ts'
import { principalOf, withSession } from '../src/sessions.ts'

const pay = defineTool({
  name: 'pay',
  description: 'Pays euros',
  parameters: { type: 'object', properties: { euros: { type: 'number' } } },
  execute: ({ euros }) => ({ paid: euros }),
})
const ask: InferRequest = {
  tools: [pay],
  authorize: () => ({ effect: 'require-approval', reason: 'money' }),
}
const call: MockTurn = {
  reasoning: 'I must pay.',
  text: 'One moment.',
  toolCalls: [{ name: 'pay', arguments: { euros: 5 } }],
}

describe('a chat belongs to whoever began it', () => {
  const ran: unknown[] = []
  const { parameters } = pay.definition
  const execute = (given: unknown): string => String(ran.push(given))
  const tools = [
    defineTool({ name: 'pay', description: 'Pays euros', parameters: parameters ?? {}, execute }),
  ]
  const from = (user: string | undefined, path: string, body?: unknown): Request =>
    new Request(`http://localhost${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      ...(user !== undefined && { headers: { 'x-user': user } }),
    })
  const textOf = async (response: Response): Promise<string> =>
    [...(await response.text()).matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta).join('')
  const approvalIdOf = (shown: string) => [...shown.matchAll(/"approvalId":"([^"]+)"/g)].at(-1)?.[1]
  const decisionOf = (id: string | undefined) => ({
    role: 'assistant',
    parts: [
      {
        type: 'dynamic-tool',
        toolName: 'pay',
        toolCallId: id?.split('#')[0],
        state: 'approval-responded',
        input: {},
        approval: { id, approved: true },
      },
    ],
  })
  const say = (text: string) => ({
    id: 'c',
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
  })
  const serve = (provider: Provider, settings: InferRequest = {}) =>
    createChatServer(provider, settings, (request) => request.headers.get('x-user') ?? undefined)

  test('another user neither approves a call that waits nor learns of it, and its user does', async () => {
    const chat = serve(createMock({ responses: [call, 'What call?', 'Paid.'] }), { ...ask, tools })
    const shown = await (await chat(from('ann', '/api/chat', say('Pay')))).text()
    const id = approvalIdOf(shown)
    const approval = {
      id: 'c',
      messages: [...say('Pay').messages, decisionOf(id)],
    }
    expect(await textOf(await chat(from('eve', '/api/chat', approval)))).toContain('What call?')
    expect(ran).toEqual([])
    expect(await textOf(await chat(from('ann', '/api/chat', approval)))).toContain('Paid.')
    expect(ran).toEqual([{ euros: 5 }])
  })

  test('a decision about a call that the page showed before does not hold for another call with the same id', async () => {
    const [first, second] = [5, 500].map((euros) => ({
      toolCalls: [{ id: 'call_1', name: 'pay', arguments: { euros } }],
    }))
    ran.length = 0
    const chat = serve(createMock({ responses: [first!, second!, 'What call?', 'Paid.'] }), {
      ...ask,
      tools,
    })
    const post = async (messages: unknown) =>
      (await chat(from('ann', '/api/chat', { id: 'c', messages }))).text()
    const { messages } = say('Pay')
    const old = approvalIdOf(await post(messages))
    const shown = approvalIdOf(await post(messages))
    expect([old, shown]).toEqual([
      expect.stringMatching(/^call_1#/),
      expect.stringMatching(/^call_1#/),
    ])
    await post([...messages, decisionOf(old)])
    expect(ran).toEqual([])
  })

  test('another user does not read a reply that runs, and nobody without a name does anything', async () => {
    let openGate = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      openGate = resolve
    })
    const chat = serve(
      createMock({
        responses: [
          async function* () {
            await gate
            yield { text: 'A secret.', finish: 'stop' }
          },
        ],
      }),
    )
    const reply = await chat(from('ann', '/api/chat', say('Tell')))
    expect((await chat(from('eve', '/api/chat/c/stream'))).status).toBe(204)
    expect((await chat(from(undefined, '/api/chat/c/stream'))).status).toBe(401)
    expect((await chat(from(undefined, '/api/chat', say('Hi')))).status).toBe(401)
    const again = await chat(from('ann', '/api/chat/c/stream'))
    openGate()
    for (const one of [reply, again]) expect(await textOf(one)).toBe('A secret.')
  })

  test('a page that leaves does not stop the run, and the stop of its user does', async () => {
    let isStopped = false
    const begun = Promise.withResolvers<undefined>()
    const dig = defineTool({
      name: 'dig',
      description: 'Digs',
      parameters: { type: 'object', properties: {} },
      execute: (_, { signal }) =>
        new Promise<string>((resolve) => {
          begun.resolve(undefined)
          signal.addEventListener('abort', () => {
            isStopped = true
            resolve('stopped')
          })
        }),
    })
    const provider = createMock({ responses: [{ toolCalls: [{ name: 'dig', arguments: {} }] }] })
    const chat = serve(provider, { tools: [dig] })
    const reply = await chat(from('ann', '/api/chat', say('Dig')))
    await begun.promise
    await reply.body?.cancel()
    const again = await chat(from('ann', '/api/chat/c/stream'))
    expect(again.status).toBe(200)

    expect((await chat(from('eve', '/api/chat/c/stop', {}))).status).toBe(204)
    expect(isStopped).toBe(false)
    expect((await chat(from('ann', '/api/chat/c/stop', {}))).status).toBe(204)
    expect(isStopped).toBe(true)
    expect(await again.text()).toContain('[DONE]')
    expect(provider.requests).toHaveLength(1)
    expect((await chat(from('ann', '/api/chat/c/stream'))).status).toBe(204)
  })

  test('a session is one that this server began', async () => {
    const page = withSession(from(undefined, '/'), new Response(''))
    const cookie = page.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict/)
    const request = (value: string) =>
      new Request('http://localhost/', { headers: { cookie: value } })
    expect(principalOf(request(cookie.split(';')[0] ?? ''))).toMatch(/^[\da-f-]{36}$/)
    expect(principalOf(request('session=chosen'))).toBeUndefined()
  })
})
