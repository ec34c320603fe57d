// A chat belongs to whoever began it: the agent and the sessions of the example, over HTTP.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Provider } from '@modelport/core'
import { chatRoutes } from '@modelport/durable/chat'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { createMock, type MockTurn } from '@modelport/provider-mock'
import { afterEach, expect, test } from 'vitest'
import { createAssistant } from '../src/assistant.ts'
import { Sessions } from '../src/sessions.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const pay = (euros: number): MockTurn => ({
  text: 'One moment.',
  toolCalls: [{ id: 'call_1', name: 'pay', arguments: { euros } }],
})

/** The chat of the example, and requests of users of it. */
async function serve(provider: Provider) {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-owners-'))
  const store = await openSqliteStore(join(folder, 'chat.db'))
  const sessions = new Sessions('of the test')
  const chat = chatRoutes({
    agent: createAssistant(provider, store),
    store,
    authorize: (request) => {
      const subject = sessions.userOf(request)
      return subject === undefined ? undefined : { subject }
    },
  })
  ends.push(
    () => rmSync(folder, { recursive: true, maxRetries: 5 }),
    () => store.close(),
    () => chat.close(),
  )
  /** A browser that has loaded the page; undefined has not. */
  const browser = (): string => {
    const page = sessions.withSession(new Request('http://chat.test/'), new Response(''))
    return page.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  const ask = (user: string | undefined, path: string, body?: unknown): Promise<Response> =>
    chat.fetch(
      new Request(`http://chat.test/api/chat${path}`, {
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        ...(user !== undefined && { headers: { cookie: user } }),
      }),
    )
  const say = (user: string | undefined, text: string, more: object = {}): Promise<Response> => {
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text }] }
    return ask(user, '', { id: 'c', messages: [message], ...more })
  }
  return { sessions, browser, ask, say }
}

/** The words of a reply, and the ids in it. */
const wordsOf = (stream: string): string =>
  [...stream.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta).join('')
const approvalOf = (stream: string) => ({
  reply: /"messageId":"([^"]+)"/.exec(stream)?.[1],
  approval: /"approvalId":"([^"]+)"/.exec(stream)?.[1],
})

/** What a page sends for a decision about a call. */
const decisionOf = ({ reply, approval }: ReturnType<typeof approvalOf>) => ({
  id: 'c',
  messages: [
    {
      id: reply,
      role: 'assistant',
      parts: [
        {
          type: 'tool-pay',
          toolCallId: 'call_1',
          state: 'approval-responded',
          input: {},
          approval: { id: approval, approved: true },
        },
      ],
    },
  ],
})

test('another user neither approves a call that waits nor learns of it, and its user does', async () => {
  const provider = createMock({ responses: [pay(5), 'Paid.'] })
  const { browser, ask, say } = await serve(provider)
  const ann = browser()
  const eve = browser()
  const asked = approvalOf(await (await say(ann, 'Pay')).text())
  const stolen = await ask(eve, '', decisionOf(asked))
  expect([stolen.status, await stolen.text()]).toEqual([404, expect.not.stringContaining('euros')])
  const [requestId = '', digest] = (asked.approval ?? '').split('#')
  const named = await ask(eve, '/c/decisions', { requestId, digest, approved: true })
  expect(named.status).toBe(409)
  expect(provider.requests).toHaveLength(1)
  expect(wordsOf(await (await ask(ann, '', decisionOf(asked))).text())).toContain('Paid.')
})

test('a decision about a call that the page showed before does not hold for another call with the same id', async () => {
  const provider = createMock({ responses: [pay(5), pay(500), 'Paid.'] })
  const { browser, ask, say } = await serve(provider)
  const ann = browser()
  const before = approvalOf(await (await say(ann, 'Pay')).text())
  const again = { trigger: 'regenerate-message', messageId: before.reply }
  const now = approvalOf(await (await say(ann, 'Pay', again)).text())
  expect(now.approval).not.toBe(before.approval)
  expect((await ask(ann, '', decisionOf(before))).status).toBe(404)
  // Not even with the id of the reply that waits now.
  await (await ask(ann, '', decisionOf({ ...before, reply: now.reply }))).body?.cancel()
  expect(provider.requests).toHaveLength(2)
})

test('another user does not read a reply that runs, and nobody without a session does anything', async () => {
  const gate = Promise.withResolvers<undefined>()
  const provider = createMock({
    responses: [
      async function* () {
        yield { text: 'A ' }
        await gate.promise
        yield { text: 'secret.', finish: 'stop' }
      },
    ],
  })
  const { browser, ask, say } = await serve(provider)
  const ann = browser()
  const eve = browser()
  const reply = await say(ann, 'Tell')
  expect((await ask(eve, '/c/stream')).status).toBe(204)
  expect((await ask(eve, '/c')).status).toBe(404)
  expect((await ask(undefined, '/c/stream')).status).toBe(401)
  expect((await say(undefined, 'Hi')).status).toBe(401)
  const again = await ask(ann, '/c/stream')
  gate.resolve(undefined)
  for (const one of [reply, again]) expect(wordsOf(await one.text())).toBe('A secret.')
})

test('a page that leaves does not stop the reply, nor does another user, and the stop of its user does', async () => {
  const begun = Promise.withResolvers<undefined>()
  let isStopped = false
  const provider = createMock({
    responses: [
      async function* () {
        try {
          yield { text: 'Digging' }
          begun.resolve(undefined)
          await new Promise((resolve) => setTimeout(resolve, 60_000).unref())
        } finally {
          isStopped = true
        }
      },
    ],
  })
  const { browser, ask, say } = await serve(provider)
  const ann = browser()
  const eve = browser()
  const reply = await say(ann, 'Dig')
  const reading = reply.body?.getReader()
  await reading?.read()
  await begun.promise
  await reading?.cancel()
  const again = await ask(ann, '/c/stream')
  expect(again.status).toBe(200)
  expect((await ask(eve, '/c/stop', {})).status).toBe(204)
  expect(isStopped).toBe(false)
  expect((await ask(ann, '/c/stop', {})).status).toBe(204)
  expect(await again.text()).toContain('[DONE]')
  expect((await ask(ann, '/c/stream')).status).toBe(204)
  expect(provider.requests).toHaveLength(1)
})

test('a session is one that this server began', async () => {
  const { sessions } = await serve(createMock({ responses: ['Hello'] }))
  const page = sessions.withSession(new Request('http://chat.test/'), new Response(''))
  const cookie = page.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict/)
  const userOf = (value: string) =>
    sessions.userOf(new Request('http://chat.test/', { headers: { cookie: value } }))
  const own = cookie.split(';')[0] ?? ''
  expect(userOf(own)).toMatch(/^[\da-f-]{36}$/)
  expect(userOf('session=chosen')).toBeUndefined()
  expect(userOf(own.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBeUndefined()
  expect(
    new Sessions('another').userOf(new Request('http://chat.test/', { headers: { cookie: own } })),
  ).toBeUndefined()
})
