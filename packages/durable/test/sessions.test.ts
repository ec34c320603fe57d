// Who writes a conversation, and what it has afterwards: tasks of one session in one or two
// processes, of which one may die, in memory and on both databases.
import {
  AgentHost,
  type AgentSettings,
  type AgentStore,
  createAgent,
  createMemoryStore,
  createMessage,
  createPart,
  foldSession,
  requestsOf,
  type Task,
} from '@modelport/agent'
import type { ChatMessage } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database, Statement } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

const principal = 'alice'
const agentName = 'talker'
const session = { principal, agent: agentName, id: 's' }

interface Place {
  readonly name: string
  readonly isMissing: boolean
  open(): Promise<Database | undefined>
}
const places: readonly Place[] = [
  { name: 'memory', isMissing: false, open: () => Promise.resolve(undefined) },
  ...emptyDatabases(),
]

/** What a model is asked, as one line a message. */
const linesOf = (messages: readonly ChatMessage[]): readonly string[] =>
  messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : 'parts'}`)

for (const { name, isMissing, open } of places)
  describe.skipIf(isMissing)(name, () => {
    let database: Database | undefined
    let store: AgentStore
    let written: (readonly Statement[])[]
    const hosts: AgentHost[] = []
    /** What each model call was asked, by the last message of the user. */
    let asked: (readonly string[])[]
    /** Model calls about this wait until the test lets them continue. */
    let held: Map<string, PromiseWithResolvers<void>>
    let effects: number

    beforeEach(async () => {
      asked = []
      written = []
      held = new Map()
      effects = 0
      const found = await open()
      database = found
      store = found ? durable(found) : createMemoryStore()
    })
    afterEach(async () => {
      for (const { resolve } of held.values()) resolve()
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await database?.close()
    })

    /** A store that notes each of its transactions. */
    const durable = (inner: Database): DurableStore => {
      const noted: Database = {
        lockRows: inner.lockRows,
        write: (statements) => {
          written.push(statements)
          return inner.write(statements)
        },
        read: (sql, params) => inner.read(sql, params),
        now: () => inner.now(),
        notify: (key) => inner.notify(key),
        watch: (key, onChange) => inner.watch(key, onChange),
        close: () => inner.close(),
      }
      return createDurableStore(noted, {})
    }
    const hold = (text: string): PromiseWithResolvers<void> => {
      const gate: PromiseWithResolvers<void> = Promise.withResolvers()
      held.set(text, gate)
      return gate
    }
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      parameters: { type: 'object', properties: {} },
      execute: () => `seen ${++effects}`,
    })
    /** The host of one process: each has the store to itself, as it would open it. */
    const start = (settings: Partial<AgentSettings> = {}): AgentHost => {
      const agent = createAgent({
        card: { name: agentName, description: 'Talks' },
        tools: [look],
        ...settings,
        provider: createMock({
          defaultResponse: async function* ({ messages }) {
            const said = linesOf(messages)
            asked.push(said)
            const question =
              said.findLast((line) => /^user: [^[]/.test(line))?.slice('user: '.length) ?? ''
            const isSecond = messages.at(-1)?.role === 'tool'
            await held.get(isSecond ? `${question} again` : question)?.promise
            if (question.startsWith('LOOK') && !isSecond)
              yield { toolCalls: [{ id: 'c1', name: 'look' }] }
            else yield { text: `answer to ${question}` }
          },
        }),
      })
      const host = new AgentHost([agent], {
        store: database ? durable(database) : store,
      })
      hosts.push(host)
      return host
    }
    const send = async (host: AgentHost, text: string): Promise<string> => {
      const message = createMessage('user', text)
      const sent = await host.send({ agent: agentName, principal, sessionId: 's', message })
      return sent.task.id
    }
    const done = (host: AgentHost, id: string): Promise<Task> => host.settled({ principal, id }, 0)
    const decide = async (host: AgentHost, id: string): Promise<void> => {
      const { task } = await host.get({ principal, id })
      const parts = requestsOf(task).map(({ requestId, digest }) =>
        createPart.request({ requestId, approved: true, ...(digest !== undefined && { digest }) }),
      )
      const message = createMessage('user', parts)
      await host.send({ agent: agentName, principal, taskId: id, message })
    }
    const until = (host: AgentHost, id: string, state: Task['state']) =>
      expect.poll(async () => (await host.get({ principal, id })).task.state).toBe(state)
    const conversation = async (): Promise<readonly string[]> =>
      linesOf(foldSession(await store.sessions.read(session, 1)))

    test('a task reads what the task before it said, whichever process works on it', async () => {
      const one = start()
      const two = database ? start() : one
      const gate = hold('My name is Ada')
      const first = await send(one, 'My name is Ada')
      await expect.poll(() => asked.length).toBe(1)
      const second = await send(two, 'What is my name?')
      gate.resolve()
      expect((await done(one, first)).state).toBe('completed')
      expect((await done(two, second)).state).toBe('completed')
      expect(asked[1]).toEqual([
        'user: My name is Ada',
        'assistant: answer to My name is Ada',
        'user: What is my name?',
      ])
    })

    test('a turn whose run compacts the conversation is remembered whole', async () => {
      const one = start({
        compaction: { strategy: 'recent', maxMessages: 3, threshold: 0.5 },
        profile: { contextWindow: 60 },
      })
      for (const text of ['My name is Ada', 'I live in Rome', 'LOOK at it', 'I am 36'])
        expect((await done(one, await send(one, text))).state).toBe('completed')
      expect(asked.some(([first = '']) => !first.includes('Ada'))).toBe(true)
      const said = await conversation()
      expect(said.filter((line) => line.startsWith('user: '))).toEqual([
        'user: My name is Ada',
        'user: I live in Rome',
        'user: LOOK at it',
        'user: I am 36',
      ])
      expect(said).toContain('assistant: answer to LOOK at it')
    })

    test('a task that waits for somebody gives the turn back, and the next one reads that it does', async () => {
      const one = start({ whenWaiting: 'keep', policy: { default: 'require-approval' } })
      const first = await send(one, 'LOOK at it')
      await until(one, first, 'input-required')
      const second = await send(one, 'Hello?')
      expect((await done(one, second)).state).toBe('completed')
      expect(asked[1]?.[0]).toMatch(
        /^user: \[Not from the user: the earlier message "LOOK at it" is not finished; it waits for somebody: Approval needed: the tool look\./,
      )
      expect(asked[1]?.[1]).toBe('user: Hello?')
      await decide(one, first)
      await until(one, first, 'completed')
      const third = await send(one, 'And?')
      expect((await done(one, third)).state).toBe('completed')
      expect(await conversation()).toEqual([
        'user: Hello?',
        'assistant: answer to Hello?',
        'user: LOOK at it',
        'assistant: ',
        'tool: seen 1',
        'assistant: answer to LOOK at it',
        'user: And?',
        'assistant: answer to And?',
      ])
    })

    test('what a task says after its conversation was deleted does not come back', async () => {
      const one = start()
      const gate = hold('my secret is 42')
      const first = await send(one, 'my secret is 42')
      await expect.poll(() => asked.length).toBe(1)
      await store.sessions.delete(session)
      const second = await send(one, 'Hello?')
      expect((await done(one, second)).state).toBe('completed')
      gate.resolve()
      expect((await done(one, first)).state).toBe('completed')
      expect(asked[1]).toEqual(['user: Hello?'])
      expect(await conversation()).toEqual(['user: Hello?', 'assistant: answer to Hello?'])
    })

    test('a compaction waits for the turn of the session', async () => {
      const one = start()
      await done(one, await send(one, 'One'))
      const gate = hold('Two')
      const second = await send(one, 'Two')
      await expect.poll(() => asked.length).toBe(2)
      const compacted = one.compact(session, { maxMessages: 2 })
      gate.resolve()
      await done(one, second)
      await compacted
      const third = await send(one, 'Three')
      expect((await done(one, third)).state).toBe('completed')
      expect(asked.at(-1)).toContain('assistant: answer to Two')
    })

    test('a task that waits for itself fails, and names the task that has the turn', async () => {
      let child: Promise<Task> | undefined
      const call = defineTool({
        name: 'look',
        description: 'Calls its own agent in its own session',
        parameters: { type: 'object', properties: {} },
        execute: async () => {
          child = send(one, 'Hello?').then((id) => done(one, id))
          return (await child).state
        },
      })
      const one = start({ tools: [call], turnWaitMs: 50 })
      const first = await send(one, 'LOOK at it')
      expect((await done(one, first)).state).toBe('completed')
      expect(await child).toMatchObject({
        state: 'failed',
        metadata: { turn: first, error: expect.stringContaining(`"${first}" has the turn`) },
      })
    })

    test.skipIf(name === 'memory')('what a task says and its end are one transaction', async () => {
      const one = start()
      const first = await send(one, 'One')
      expect((await done(one, first)).state).toBe('completed')
      const texts = written.map((statements) => statements.map(({ sql }) => sql).join(';'))
      const said = texts.filter((text) => text.includes(`SELECT 'session:' || name`))
      expect(said).toHaveLength(1)
      for (const part of ['UPDATE tasks SET state', 'UPDATE runs SET status', 'SET turn = NULL'])
        expect(said[0]).toContain(part)
    })

    test.skipIf(name === 'memory')(
      'a task whose process died keeps its place: the next one reads all that it said',
      async () => {
        const one = start()
        hold('LOOK at it again')
        const first = await send(one, 'LOOK at it')
        await expect.poll(() => asked.length).toBe(2)
        // The user writes again before the lease has ended; another process is asked.
        const second = await send(start(), 'Hello?')
        held.clear()
        await database!.write([
          {
            sql: `UPDATE runs SET epoch = epoch + 1, due = 0 WHERE id = ?`,
            params: [`task:${first}`],
          },
        ])
        const two = start()
        expect((await done(two, first)).state).toBe('completed')
        expect((await done(two, second)).state).toBe('completed')
        expect(await conversation()).toEqual([
          'user: LOOK at it',
          'assistant: ',
          'tool: seen 1',
          'assistant: answer to LOOK at it',
          'user: Hello?',
          'assistant: answer to Hello?',
        ])
      },
    )

    test.skipIf(name === 'memory')(
      'a task that stopped gives the turn back, and an operator lets it take it again',
      async () => {
        const one = start()
        hold('LOOK at it again')
        const first = await send(one, 'LOOK at it')
        await expect.poll(() => asked.length).toBe(2)
        const second = await send(one, 'Hello?')
        held.clear()
        await one.drain(0)
        await database!.write([
          {
            sql: 'UPDATE runs SET crashes = 6, tries = 6, alone = 1, progress = 0, phase = 2, status = ?, due = 0 WHERE id = ?',
            params: ['running', `task:${first}`],
          },
        ])
        const two = start()
        expect((await done(two, second)).state).toBe('completed')
        expect(asked.at(-1)?.[0]).toContain('was stopped, and an operator has to let it continue')
        await (store as DurableStore).operations.resume(first)
        expect((await done(two, first)).state).toBe('completed')
        expect(await conversation()).toEqual([
          'user: Hello?',
          'assistant: answer to Hello?',
          'user: LOOK at it',
          'assistant: ',
          'tool: seen 1',
          'assistant: answer to LOOK at it',
        ])
      },
    )
  })
