import { foldSession, type SessionEntryBody } from '@modelport/agent'
import type { StoreContractCase } from './case.js'
import { refused, same } from './tools.js'

const key = { principal: 'alice', agent: 'a', id: 's' }
const at = '2026-01-01T00:00:00.000Z'
const said = (text: string): SessionEntryBody => ({
  type: 'messages',
  messages: [{ role: 'user', content: text }],
})

/** Rules of {@link SessionStore} and {@link IdempotencyStore}. */
export const contractOfSessions: readonly StoreContractCase[] = [
  {
    title: 'a session starts empty and grows by appends at the expected number',
    run: async ({ sessions }) => {
      same((await sessions.head(key)).seq, 0, 'number of a new session')
      await sessions.append(key, 0, [said('a'), said('b')], at)
      await refused(sessions.append(key, 1, [said('c')], at), 'conflict')
      same(foldSession(await sessions.read(key, 1)).length, 2, 'messages')
    },
  },
  {
    title: 'reading a session may start at its last replacement',
    run: async ({ sessions }) => {
      await sessions.append(key, 0, [said('a'), said('b')], at)
      const replaced: SessionEntryBody = {
        type: 'replaced',
        reason: 'compacted',
        messages: [{ role: 'user', content: 'summary' }],
      }
      await sessions.append(key, 2, [replaced, said('c')], at)
      const { start, seq } = await sessions.head(key)
      same([start, seq], [3, 4], 'start and number')
      const whole = await sessions.read(key, 1)
      const tail = await sessions.read(key, start)
      same(foldSession(whole), foldSession(tail), 'the conversation')
      same(foldSession(tail).length, 2, 'messages')
    },
  },
  {
    title: 'a session of another principal or agent is another session',
    run: async ({ sessions }) => {
      await sessions.append(key, 0, [said('a')], at)
      same(
        (await sessions.read({ ...key, principal: 'bob' }, 1)).length,
        0,
        'entries of another principal',
      )
      same((await sessions.head({ ...key, agent: 'b' })).seq, 0, 'number with another agent')
      same((await sessions.list('alice', 'a')).length, 1, 'listed sessions')
      same((await sessions.list('bob', 'a')).length, 0, 'listed sessions of another principal')
      await sessions.delete(key)
      same((await sessions.read(key, 1)).length, 0, 'entries after delete')
    },
  },
]
