// A chat as a user has it: tabs with the AI SDK's own client, over the routes, on both databases.
import { type BaseEvent, HttpAgent } from '@ag-ui/client'
import type { RunFinishedEvent } from '@ag-ui/core'
import { createAgent, foldSession } from '@modelport/agent'
import type { ChatMessage, Content } from '@modelport/core'
import { createMock, type MockToolCall } from '@modelport/provider-mock'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { defineTool } from '@modelport/runtime'
import type { UIMessage } from 'ai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Chat, type ChatOptions, chatRoutes } from '../src/chat/chat.js'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { dyingDatabase } from './support/dying-database.js'
import { PageChat, screenOf } from './support/page-chat.js'

/** What the model calls for a message. */
const calls: ReadonlyMap<string, MockToolCall> = new Map([
  ['PAY', { id: 'c1', name: 'pay', arguments: { euros: 5 } }],
  ['LOOK', { id: 'c1', name: 'look', arguments: {} }],
])

/** What a model is asked, as one line a message. */
const linesOf = (messages: readonly ChatMessage[]): readonly string[] =>
  messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${textOf(content)}`)

const textOf = (content: Content): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ')

/** The newest message of the user. */
const lastText = (messages: readonly ChatMessage[]): string =>
  textOf(messages.findLast((one) => one.role === 'user' && !one.byRun)?.content ?? '')

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    const servers: Chat[] = []
    /** What each model call was asked. */
    let asked: (readonly ChatMessage[])[]
    /** Texts of users whose replies stop in the middle until the test continues them. */
    let held: Map<string, PromiseWithResolvers<void>>
    /** Messages whose replies were cut off at the model. */
    let cut: string[]
    let payments: number
    let looks: number

    beforeEach(async () => {
      asked = []
      held = new Map()
      cut = []
      payments = 0
      looks = 0
      database = await open()
      store = createDurableStore(database, {})
    })
    afterEach(async () => {
      for (const { resolve } of held.values()) resolve()
      await Promise.all(servers.splice(0).map((server) => server.close()))
      await database.close()
    })

    const pay = defineTool({
      name: 'pay',
      description: 'Pays a bill',
      parameters: { type: 'object', properties: { euros: { type: 'number' } } },
      execute: ({ euros }) => `paid ${String(euros)}, payment ${++payments}`,
    })
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      parameters: { type: 'object', properties: {} },
      execute: () => `seen ${++looks}`,
    })
    const agentOf = () =>
      createAgent({
        card: { name: 'helper', description: 'Helps' },
        tools: [pay, look],
        policy: { rules: { 'tool.pay': 'require-approval' } },
        provider: createMock({
          defaultResponse: async function* ({ messages }) {
            asked.push(messages)
            const text = lastText(messages)
            const isAfterCall = messages.at(-1)?.role === 'tool'
            const call = calls.get(text)
            if (call && !isAfterCall) {
              yield { text: 'One moment. ', toolCalls: [call] }
              return
            }
            let isWhole = false
            try {
              yield { text: isAfterCall ? 'Done: ' : `First half of ${text}, ` }
              await held.get(text)?.promise
              yield { text: isAfterCall ? textOf(messages.at(-1)?.content ?? '') : 'second half.' }
              isWhole = true
            } finally {
              if (!isWhole) cut.push(text)
            }
          },
        }),
      })
    const serve = (options: Partial<ChatOptions> = {}): Chat => {
      const server = chatRoutes({
        store,
        agent: agentOf(),
        authorize: (request) => {
          const subject = request.headers.get('user') ?? 'ann'
          return subject === 'nobody' ? undefined : { subject }
        },
        ...options,
      })
      servers.push(server)
      return server
    }
    const tab = (server: Chat, id = 'c', messages: UIMessage[] = []): PageChat =>
      new PageChat(id, (input, init) => server.fetch(new Request(input, init)), messages)
    const ask = (server: Chat, path: string, init?: RequestInit): Promise<Response> =>
      server.fetch(new Request(`http://chat.test/api/chat${path}`, init))
    const history = async (server: Chat, id = 'c'): Promise<UIMessage[]> => {
      const response = await ask(server, `/${id}`)
      const { messages } = (await response.json()) as { messages?: UIMessage[] }
      return messages ?? []
    }
    /** A reply that stops in its middle, and the tab that reads it. */
    const half = async (server: Chat, text: string) => {
      held.set(text, Promise.withResolvers())
      const page = tab(server)
      const sent = page.sendMessage({ text })
      await untilShown(page, 'First half')
      return { page, sent }
    }
    /** Continues a reply. */
    const goOn = (text: string): void => {
      held.get(text)?.resolve()
      held.delete(text)
    }
    const untilShown = (page: PageChat, text: string): Promise<void> =>
      expect.poll(() => screenOf(page.messages).at(-1)).toContain(text)
    /** A tab that is loaded while a reply is being made, and reads it from there. */
    const load = async (server: Chat) => {
      const page = tab(server, 'c', await history(server))
      return { page, read: page.resumeStream() }
    }
    /** What a process that is killed leaves: its claims end. */
    const endClaims = () => database.write([{ sql: 'UPDATE runs SET epoch = epoch + 1, due = 0' }])
    const approvalOf = (page: PageChat): string => {
      const part = page.messages.at(-1)?.parts.find(({ type }) => type === 'tool-pay')
      return (part as { approval?: { id: string } } | undefined)?.approval?.id ?? ''
    }
    const conversation = async (id = 'c'): Promise<readonly string[]> => {
      const entries = await store.sessions.read({ principal: 'ann', agent: 'helper', id }, 1)
      return linesOf(foldSession(entries))
    }
    const tasks = async () => (await store.tasks.list({ principal: 'ann', limit: 10 })).heads

    test('a message is answered, and a page that is loaded later has the same messages', async () => {
      const server = serve()
      const page = tab(server)
      await page.sendMessage({
        parts: [
          { type: 'text', text: 'Hello' },
          { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
        ],
      })
      expect(page.failures).toEqual([])
      expect(screenOf(page.messages)).toEqual([
        'user: Hello',
        'user: [file]',
        'assistant: First half of Hello image, second half.',
      ])
      expect(await history(server)).toEqual(plain(page.messages))
    })

    test('two tabs approve a payment, which is made once, and both see it', async () => {
      const server = serve()
      const page = tab(server)
      await page.sendMessage({ text: 'PAY' })
      expect(screenOf(page.messages)).toEqual([
        'user: PAY',
        'assistant: One moment. ',
        'assistant: [tool-pay approval-requested]',
      ])
      expect(await history(server)).toEqual(plain(page.messages))

      const other = tab(server, 'c', await history(server))
      const decision = { id: approvalOf(page), approved: true }
      await Promise.all([
        Promise.resolve(page.addToolApprovalResponse(decision)),
        Promise.resolve(other.addToolApprovalResponse(decision)),
      ])
      await untilShown(page, 'Done: paid 5, payment 1')
      await untilShown(other, 'Done: paid 5, payment 1')
      const both = [
        'user: PAY',
        'assistant: One moment. ',
        'assistant: [tool-pay output-available "paid 5, payment 1"]',
        'assistant: Done: paid 5, payment 1',
      ]
      expect([screenOf(page.messages), screenOf(other.messages)]).toEqual([both, both])
      await expect.poll(async () => screenOf(await history(server))).toEqual(both)
      expect([payments, page.failures, other.failures]).toEqual([1, [], []])
    })

    test('a tab whose decision comes after the reply has ended sees what came of the other', async () => {
      const server = serve()
      const page = tab(server)
      await page.sendMessage({ text: 'PAY' })
      const decision = { id: approvalOf(page), approved: true }

      let isFirst = true
      const load: DurableStore['tasks']['load'] = async (...key) => {
        const task = await store.tasks.load(...key)
        if (!isFirst) return task
        isFirst = false
        // Between what the late request read and what it writes.
        await page.addToolApprovalResponse(decision)
        await untilShown(page, 'Done: paid 5, payment 1')
        await expect.poll(async () => screenOf(await history(server)).at(-1)).toContain('Done')
        return task
      }
      const tasks = new Proxy(store.tasks, {
        get: (target, name) => {
          const value: unknown = name === 'load' ? load : Reflect.get(target, name)
          return typeof value === 'function' ? (value.bind(target) as unknown) : value
        },
      })
      const late = tab(
        serve({ store: { ...store, tasks }, work: false }),
        'c',
        await history(server),
      )
      await late.addToolApprovalResponse(decision)
      await untilShown(late, 'Done: paid 5, payment 1')
      expect([payments, late.failures]).toEqual([1, []])
    })

    test('a payment that is refused is not made, also by a request of its own', async () => {
      const server = serve()
      const page = tab(server)
      await page.sendMessage({ text: 'PAY' })
      const [requestId = '', digest = ''] = approvalOf(page).split('#')
      const decide = (approved: boolean) =>
        ask(server, '/c/decisions', {
          method: 'POST',
          body: JSON.stringify({ requestId, digest, approved }),
        })
      expect((await decide(false)).status).toBe(204)
      const late = await decide(true)
      expect([late.status, await late.json()]).toEqual([
        409,
        { error: { message: `nothing waits for ${JSON.stringify(requestId)}` } },
      ])
      const { page: other, read } = await load(server)
      await read
      await expect.poll(async () => screenOf(await history(server)).at(-1)).toContain('Done')
      expect(screenOf(await history(server))[2]).toBe('assistant: [tool-pay output-denied]')
      expect([payments, other.failures]).toEqual([0, []])
    })

    test('stop in another tab ends the call at the model, and keeps the text for the next message', async () => {
      const server = serve()
      const { page, sent } = await half(server, 'Long')
      const { page: other, read } = await load(server)
      await untilShown(other, 'First half')
      expect((await ask(server, '/c/stop', { method: 'POST' })).status).toBe(204)
      await Promise.all([sent, read])
      goOn('Long')
      await expect.poll(() => cut).toEqual(['Long'])

      const both = ['user: Long', 'assistant: First half of Long, ', 'assistant: {"stopped":true}']
      expect([screenOf(page.messages), screenOf(other.messages)]).toEqual([both, both])
      await page.sendMessage({ text: 'Next' })
      expect(screenOf(await history(server))).toEqual([
        ...both,
        'user: Next',
        'assistant: First half of Next, second half.',
      ])
      expect(linesOf(asked.at(-1) ?? [])).toEqual([
        'user: Long',
        'assistant: First half of Long, ',
        'user: [Not from the user: the user stopped the reply here.]',
        'user: Next',
      ])
    })

    test('stop in a web process ends the call of a worker', async () => {
      const worker = serve()
      const web = serve({ work: false })
      const { sent } = await half(worker, 'Long')
      await ask(web, '/c/stop', { method: 'POST' })
      goOn('Long')
      await expect.poll(() => cut).toEqual(['Long'])
      await sent
    })

    test('a reply that waits for approval is stopped, and its call is closed', async () => {
      const server = serve()
      const page = tab(server)
      await page.sendMessage({ text: 'PAY' })
      await ask(server, '/c/stop', { method: 'POST' })
      await page.sendMessage({ text: 'Next' })
      expect(screenOf(await history(server))).toEqual([
        'user: PAY',
        'assistant: One moment. ',
        'assistant: [tool-pay output-error "Stopped before it finished."]',
        'assistant: {"stopped":true}',
        'user: Next',
        'assistant: First half of Next, second half.',
      ])
      expect(asked.at(-1)?.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'user',
        'user',
      ])
      expect(payments).toBe(0)
    })

    test('an edited message and a reply made again take the place of what followed', async () => {
      const server = serve()
      const page = tab(server)
      for (const text of ['One', 'Two', 'Three']) await page.sendMessage({ text })
      await page.sendMessage({ text: 'Other', messageId: page.messages[2]?.id ?? '' })
      const edited = [
        'user: One',
        'assistant: First half of One, second half.',
        'user: Other',
        'assistant: First half of Other, second half.',
      ]
      expect(screenOf(await history(server))).toEqual(edited)
      for (const _ of [1, 2]) {
        await page.regenerate()
        expect(screenOf(page.messages)).toEqual(edited)
        expect(screenOf(await history(server))).toEqual(edited)
        expect(linesOf(asked.at(-1) ?? [])).toEqual(edited.slice(0, 3))
      }
      expect(await history(server)).toEqual(plain(page.messages))
    })

    test('a second message waits for the reply before it, or is refused', async () => {
      const server = serve()
      const { page, sent } = await half(server, 'Long')
      const other = tab(server, 'c', await history(server))
      const waiting = other.sendMessage({ text: 'Second' })
      await expect.poll(async () => (await tasks()).length).toBe(2)
      expect(screenOf(await history(server))).toEqual(['user: Long'])

      const strict = serve({ whileBusy: 'refuse' })
      const refused = tab(strict)
      await refused.sendMessage({ text: 'Third' })
      expect(refused.failures.map(String).join()).toContain('a reply is being made')
      goOn('Long')
      await Promise.all([sent, waiting])
      expect(screenOf(await history(server))).toEqual([
        'user: Long',
        'assistant: First half of Long, second half.',
        'user: Second',
        'assistant: First half of Second, second half.',
      ])
      expect(page.failures).toEqual([])
    })

    test('a message takes the place of a reply that waits, and the model reads what the page shows of it', async () => {
      const server = serve()
      const page = tab(server)
      await page.sendMessage({ text: 'PAY' })
      await page.sendMessage({ text: 'Next' })
      expect(screenOf(await history(server)).slice(0, 2)).toEqual([
        'user: PAY',
        'assistant: One moment. ',
      ])
      const [question, reply, call, end, next] = linesOf(asked.at(-1) ?? [])
      expect([question, reply, end, next]).toEqual([
        'user: PAY',
        'assistant: One moment. ',
        'user: [Not from the user: the user stopped the reply here.]',
        'user: Next',
      ])
      expect(call).toContain('tool: Stopped by the user')
      expect(payments).toBe(0)
    })

    test('an edit whose process dies at any of its writes leaves the conversation that the page shows', async () => {
      const server = serve()
      for (const [index, commits] of [1, 2, 3, 4, 5, 6].flatMap((at) => [
        [at, true] as const,
        [at, false] as const,
      ])) {
        const id = `${index} ${commits}`
        const page = tab(server, id)
        for (const text of ['One', 'Two']) await page.sendMessage({ text })

        const dying = dyingDatabase(database, { at: index, commits })
        const dead = serve({ store: createDurableStore(dying.database, {}), work: false })
        const messageId = page.messages[2]?.id
        const message = { id: messageId, role: 'user', parts: [{ type: 'text', text: 'Other' }] }
        const body = JSON.stringify({ id, messageId, messages: [message] })
        const response = await ask(dead, '', { method: 'POST', body })
        dying.die()
        await response.body?.cancel()
        await dying.idle()
        // A turn that a dead process had ends after minutes.
        await database.write([{ sql: 'UPDATE sessions SET until = 1 WHERE until IS NOT NULL' }])

        const isDone = async () => (await ask(server, `/${encodeURIComponent(id)}/stream`)).status
        await expect.poll(isDone).toBe(204)
        const next = tab(server, id, await history(server, encodeURIComponent(id)))
        await next.sendMessage({ text: 'Next' })
        const shown = screenOf(await history(server, encodeURIComponent(id)))
        expect(next.failures).toEqual([])
        expect([id, ...linesOf(asked.at(-1) ?? [])]).toEqual([id, ...shown.slice(0, -1)])
      }
    })

    test('a killed worker is replaced: what it had said makes way for the new words, with a mark', async () => {
      const dying = dyingDatabase(database, { at: Infinity, commits: false })
      const first = serve({ store: createDurableStore(dying.database, {}), onError: undefined })
      await half(first, 'Long')
      const reader = serve({ work: false })
      const { page, read } = await load(reader)
      await untilShown(page, 'First half')
      dying.die()
      goOn('Long')
      await endClaims()
      const second = serve()
      await read
      const whole = [
        'user: Long',
        'assistant: First half of Long, second half.',
        'assistant: {"restarts":1}',
      ]
      expect(screenOf(page.messages)).toEqual(whole)
      expect(screenOf(await history(second))).toEqual(whole)
    })

    test('a worker that is killed after a call does not call again', async () => {
      const dying = dyingDatabase(database, { at: Infinity, commits: false })
      const first = serve({ store: createDurableStore(dying.database, {}), onError: undefined })
      held.set('LOOK', Promise.withResolvers())
      const page = tab(first)
      void page.sendMessage({ text: 'LOOK' })
      await untilShown(page, 'Done')
      dying.die()
      goOn('LOOK')
      await endClaims()
      const second = serve()
      const { page: other, read } = await load(second)
      await read
      expect(screenOf(other.messages)).toEqual([
        'user: LOOK',
        'assistant: One moment. ',
        'assistant: [tool-look output-available "seen 1"]',
        'assistant: Done: seen 1',
        'assistant: {"restarts":1}',
      ])
    })

    test('a web process without work leaves the reply to a worker, and a killed one loses nothing', async () => {
      const web = serve({ work: false })
      const page = tab(web)
      const sent = page.sendMessage({ text: 'Hello' })
      await expect.poll(async () => (await tasks()).length).toBe(1)
      expect(asked).toEqual([])
      await web.close()
      const worker = serve()
      await sent
      expect(screenOf(await history(worker))).toEqual([
        'user: Hello',
        'assistant: First half of Hello, second half.',
      ])
    })

    test('a reader that lost its connection gets each piece once from its last event on', async () => {
      const server = serve()
      const page = tab(server)
      await page.sendMessage({ text: 'PAY' })
      const [task] = await tasks()
      const read = async (after?: string): Promise<readonly string[]> => {
        const headers: HeadersInit = after === undefined ? {} : { 'last-event-id': after }
        const response = await ask(server, '/c/stream', { headers })
        return (await response.text()).split('\n\n').filter(Boolean)
      }
      const all = await read(`${task?.record.id ?? ''}/0.0`)
      expect(all.at(-1)).toBe('data: [DONE]')
      expect(all.length).toBeGreaterThan(6)
      for (const [index, record] of all.slice(0, -1).entries()) {
        const [, id] = /^id: (.*)$/m.exec(record) ?? []
        expect(await read(id)).toEqual(all.slice(index + 1))
      }
    })

    test('another tab learns that a reply began and ended', async () => {
      const server = serve()
      const response = await ask(server, '/c/changes')
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      const next = async () => (await reader?.read())?.value
      const first = next()
      const { sent } = await half(server, 'Long')
      expect(await first).toBe('data: {"state":"working"}\n\n')
      goOn('Long')
      await sent
      expect(await next()).toBe('data: {"state":"completed"}\n\n')
      await reader?.cancel()
    })

    test('another tab learns of a reply that ended before its first event was read', async () => {
      const server = serve()
      const response = await ask(server, '/c/changes')
      await tab(server).sendMessage({ text: 'Hello' })
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      expect((await reader?.read())?.value).toBe('data: {"state":"completed"}\n\n')
      await reader?.cancel()
    })

    test('another tab learns of a reply that left its state and came back to it between two looks', async () => {
      const server = serve()
      await tab(server).sendMessage({ text: 'PAY' })
      const response = await ask(server, '/c/changes')
      const [head] = await tasks()
      const { record, seq = 0, statusAt = '' } = head ?? {}
      const at = new Date(Date.parse(statusAt) + 1).toISOString()
      const states = (['working', 'input-required'] as const).map(
        (state) => ({ type: 'status', state, at, attempt: 1 }) as const,
      )
      await store.tasks.append({ principal: 'ann', id: record?.id ?? '' }, seq, states)
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      expect((await reader?.read())?.value).toBe('data: {"state":"input-required"}\n\n')
      await reader?.cancel()
    })

    test('the sources of a reply are on the page and after a reload, and a client of AG-UI gets them', async () => {
      const sources = [
        { url: 'https://weather.example/rome', title: 'Rome' },
        { url: 'javascript:alert(1)', title: 'no link' },
      ]
      const annotations = sources.map((one) => ({ type: 'url_citation', url_citation: one }))
      const choice = { delta: { content: 'Sunny.', annotations }, finish_reason: 'stop' }
      const server = serve({
        agent: undefined,
        provider: createOpenAICompatible({
          baseUrl: 'http://model.test/v1',
          model: 'searching',
          fetch: () =>
            Promise.resolve(
              new Response(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`, {
                headers: { 'content-type': 'text/event-stream' },
              }),
            ),
        }),
      })
      const shown = [
        {
          type: 'source-url',
          sourceId: 'source-1',
          url: 'https://weather.example/rome',
          title: 'Rome',
        },
      ]
      const sourcesOf = (messages: readonly UIMessage[]) =>
        messages.at(-1)?.parts.filter(({ type }) => type === 'source-url')
      const page = tab(server)
      await page.sendMessage({ text: 'Is it warm in Rome?' })
      expect(sourcesOf(page.messages)).toEqual(shown)
      expect(sourcesOf(await history(server))).toEqual(shown)

      const agent = new HttpAgent({
        url: 'http://chat.test/api/chat/ag-ui',
        threadId: 'c',
        fetch: (url, init) => server.fetch(new Request(url, init)),
      })
      agent.addMessage({ id: 'm2', role: 'user', content: 'Is it?' })
      const events: BaseEvent[] = []
      await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) })
      const [{ url, title }] = sources as [(typeof sources)[0]]
      expect(events.find((event) => 'name' in event)).toMatchObject({
        type: 'CUSTOM',
        name: 'modelport.sources',
        value: [{ url, title }],
      })
    })

    test('a chat belongs to whoever began it', async () => {
      const server = serve()
      await tab(server).sendMessage({ text: 'Hello' })
      const as = (user: string, path: string, method = 'GET') =>
        ask(server, path, { method, headers: { user } })
      expect((await as('bob', '/c')).status).toBe(404)
      expect((await as('bob', '/c/stream')).status).toBe(204)
      expect((await as('bob', '/c', 'DELETE')).status).toBe(204)
      expect((await as('nobody', '/c')).status).toBe(401)
      expect(await history(server)).toHaveLength(2)
      expect((await ask(server, '/c', { method: 'DELETE' })).status).toBe(204)
      expect((await ask(server, '/c')).status).toBe(404)
      expect([await tasks(), await conversation()]).toEqual([[], []])
    })

    test.each([
      ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
      ['a page of another site, in an old browser', { origin: 'https://evil.test' }, 403],
      ['a page of the same site', { origin: 'http://chat.test', host: 'chat.test' }, 204],
      ['a page of an origin that is allowed', { origin: 'https://app.test' }, 204],
      ['a program', {}, 204],
    ])('a write of %s is answered with %s', async (_, headers, status) => {
      const server = serve({ origins: ['https://app.test'] })
      const response = await ask(server, '/c/stop', { method: 'POST', headers: { ...headers } })
      expect(response.status).toBe(status)
    })

    test('a request that is wrong is refused in words, and nothing is stored', async () => {
      const server = serve({ maxBodyBytes: 1024 })
      const post = async (body: string, path = '') => {
        const response = await ask(server, path, { method: 'POST', body })
        const { error } = (await response.json()) as { error: { message: string } }
        return `${response.status} ${error.message}`
      }
      const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
      expect([
        await post('{'),
        await post('{"id":""}'),
        await post('{"id":"c"}'),
        await post(JSON.stringify({ id: 'c', messages: [{ ...message, parts: [] }] })),
        await post(JSON.stringify({ id: 'c', messages: [{ ...message, role: 'system' }] })),
        await post(JSON.stringify({ id: 'c', messages: [{ ...message, role: 'assistant' }] })),
        await post(JSON.stringify({ id: 'c', messages: [message], more: 'x'.repeat(2000) })),
        await post('{}', '/c/nothing'),
        await post('{"requestId":"r"}', '/c/decisions'),
      ]).toEqual([
        '400 the request is not a JSON object',
        '400 the id of a chat is a text of 1 to 200 characters without control characters',
        '400 "messages" is not a list of messages with ids; use useChat',
        '400 the message is empty',
        '400 the newest message has the role "system"',
        '404 the chat has no reply "m"',
        '413 the request is longer than 1024 bytes',
        '405 POST /api/chat/c/nothing is not a request of a chat',
        '409 nothing waits for "r"',
      ])
      expect(await tasks()).toEqual([])
    })

    test('a failure of the model is told without its words, and stays after a reload', async () => {
      const provider = createMock({
        defaultResponse: { error: 'auth' },
      })
      const server = serve({ agent: undefined, provider })
      const page = tab(server)
      await page.sendMessage({ text: 'Hello' })
      expect(page.failures.map(String)).toEqual(['Error: An error occurred.'])
      await expect
        .poll(async () => screenOf(await history(server)))
        .toEqual(['user: Hello', 'assistant: {"error":"An error occurred."}'])
    })

    test('what the model thinks is shown and kept, for an agent that keeps it', async () => {
      const provider = createMock({
        chunkSize: 7,
        defaultResponse: { reasoning: 'I think about it. '.repeat(20), text: 'Yes.' },
      })
      const card = { name: 'helper', description: 'Helps' }
      const page = tab(serve({ agent: createAgent({ card, provider, reasoning: 'keep' }) }))
      await page.sendMessage({ text: 'Think' })
      const [, reply] = page.messages
      expect(reply?.parts.map((part) => ('text' in part ? part.text : part.type))).toEqual([
        'step-start',
        'I think about it. '.repeat(20),
        'Yes.',
      ])
      const server = serve({ agent: createAgent({ card, provider }) })
      expect(await history(server)).toEqual(plain(page.messages))
      const other = tab(server, 'd')
      await other.sendMessage({ text: 'Think' })
      expect(screenOf(other.messages)).toEqual(['user: Think', 'assistant: Yes.'])
    })

    test('an agent with a handler of its own is shown as well', async () => {
      const agent = createAgent({
        card: { name: 'echo', description: 'Echoes' },
        handler: ({ input }) => `You said ${input}`,
      })
      const page = tab(serve({ agent }))
      await page.sendMessage({ text: 'Hello' })
      expect(screenOf(page.messages)).toEqual(['user: Hello', 'assistant: You said Hello'])
    })

    test('a client of AG-UI has the same chat: a message, an approval, and the next message', async () => {
      const server = serve()
      const agent = new HttpAgent({
        url: 'http://chat.test/api/chat/ag-ui',
        threadId: 'c',
        fetch: (url, init) => server.fetch(new Request(url, init)),
      })
      agent.addMessage({ id: 'm1', role: 'user', content: 'PAY' })
      const events: BaseEvent[] = []
      const first = { onEvent: ({ event }: { event: BaseEvent }) => void events.push(event) }
      await agent.runAgent({}, first)
      const { outcome } = events.at(-1) as unknown as RunFinishedEvent
      const interrupts = outcome?.type === 'interrupt' ? outcome.interrupts : []
      expect(interrupts).toMatchObject([
        { reason: 'approval', toolCallId: 'c1', message: 'tool.pay needs approval' },
      ])
      const resume = interrupts.map(({ id }) => ({
        interruptId: id,
        status: 'resolved' as const,
        payload: { approved: true },
      }))
      await agent.runAgent({ resume })
      agent.addMessage({ id: 'm2', role: 'user', content: 'Next' })
      await agent.runAgent()
      // A call is a message without text.
      const said = agent.messages.filter(({ content }) => content !== undefined)
      expect(
        said.map(
          ({ role, content }) => `${role}: ${typeof content === 'string' ? content : 'parts'}`,
        ),
      ).toEqual([
        'user: PAY',
        'assistant: One moment. ',
        'tool: paid 5, payment 1',
        'assistant: Done: paid 5, payment 1',
        'user: Next',
        'assistant: First half of Next, second half.',
      ])
      expect(screenOf(await history(server))).toEqual([
        'user: PAY',
        'assistant: One moment. ',
        'assistant: [tool-pay output-available "paid 5, payment 1"]',
        'assistant: Done: paid 5, payment 1',
        'user: Next',
        'assistant: First half of Next, second half.',
      ])
      expect(payments).toBe(1)
    })

    test('options that are missing or wrong are refused by name', () => {
      const wrong = (options: object): unknown => {
        try {
          return chatRoutes({ store, authorize: () => undefined, ...options })
        } catch (error) {
          return String(error)
        }
      }
      expect(wrong({})).toContain('give either "agent" or "provider"')
      expect(wrong({ agent: agentOf(), path: 'chat' })).toContain('must begin with "/"')
      expect(wrong({ agent: agentOf(), authorise: 1 })).toContain('did you mean "authorize"')
      expect(wrong({ agent: agentOf(), authorize: undefined })).toContain('"authorize"')
    })
  })

/** Without what only the AI SDK's own objects have. */
const plain = (messages: readonly UIMessage[]): unknown => JSON.parse(JSON.stringify(messages))
