import type { SessionEntryBody } from '@modelport/agent'
import type { StoreContractCase } from './case.js'
import { keyOf, recordOf, refused, same, statusAt } from './tools.js'

const key = { principal: 'alice', agent: 'a', id: 's' }
const at = '2026-01-01T00:00:00.000Z'
const said = [{ role: 'user', content: 'a' }] as const
const entry: SessionEntryBody = { type: 'messages', messages: said }
/** Answers at once who has the turn. */
const now = AbortSignal.abort()
const soon = (): AbortSignal => new AbortController().signal

/** Rules about who writes a session. */
export const contractOfTurns: readonly StoreContractCase[] = [
  {
    title:
      'the tasks of a session have its turn one after the other, in the order of their messages',
    run: async ({ tasks, sessions }) => {
      for (const id of ['t1', 't2', 't3']) await tasks.create(recordOf(id), [statusAt('submitted')])
      same((await sessions.head(key)).turn, 't1', 'who has the turn')
      same(await tasks.turn(keyOf('t1'), now), undefined, 'who keeps the first from it')
      same(await tasks.turn(keyOf('t3'), now), 't1', 'who keeps the third from it')
      const second = tasks.turn(keyOf('t2'), soon())
      await tasks.append(keyOf('t1'), 1, [statusAt('working', 1)])
      await tasks.append(keyOf('t1'), 2, [statusAt('completed', 2)], said)
      same(await second, undefined, 'who keeps the second from it')
      same(await tasks.turn(keyOf('t3'), now), 't2', 'who keeps the third from it then')
      same((await sessions.read(key, 1)).length, 1, 'entries')
    },
  },
  {
    title: 'a task that waits for somebody gives the turn back, and asks for it before later ones',
    run: async ({ tasks }) => {
      for (const id of ['t1', 't2', 't3']) await tasks.create(recordOf(id), [statusAt('submitted')])
      await tasks.append(keyOf('t1'), 1, [statusAt('working', 1), statusAt('input-required', 2)])
      same(await tasks.turn(keyOf('t2'), now), undefined, 'who keeps the second from it')
      await tasks.append(keyOf('t1'), 3, [statusAt('working', 3)])
      same(await tasks.turn(keyOf('t1'), now), 't2', 'who keeps the first from it')
      const open = await tasks.open(key)
      same(
        open.map(({ record, state }) => [record.id, state]),
        [
          ['t1', 'working'],
          ['t2', 'submitted'],
          ['t3', 'submitted'],
        ],
        'open tasks',
      )
      await tasks.append(keyOf('t2'), 1, [statusAt('working', 4), statusAt('completed', 5)])
      same(await tasks.turn(keyOf('t1'), now), undefined, 'who keeps the first from it then')
      same(await tasks.turn(keyOf('t3'), now), 't1', 'who keeps the third from it')
    },
  },
  {
    title: 'only the task that has the turn adds to the conversation',
    run: async ({ tasks, sessions }) => {
      for (const id of ['t1', 't2']) await tasks.create(recordOf(id), [statusAt('submitted')])
      await tasks.append(keyOf('t2'), 1, [statusAt('working', 1)], said)
      same((await sessions.read(key, 1)).length, 0, 'entries')
      await refused(sessions.append(key, 0, [entry], at), 'busy')
      await tasks.delete(keyOf('t1'))
      same(await tasks.turn(keyOf('t2'), now), undefined, 'who keeps the second from it')
    },
  },
  {
    title: 'what a task says after its session was deleted is dropped, and nobody waits for a turn',
    run: async ({ tasks, sessions }) => {
      for (const id of ['t1', 't2']) await tasks.create(recordOf(id), [statusAt('submitted')])
      const { generation } = await sessions.head(key)
      const second = tasks.turn(keyOf('t2'), soon())
      await sessions.delete(key)
      same(await second, undefined, 'who keeps the second from its turn')
      await tasks.create(recordOf('t3'), [statusAt('submitted')])
      same((await sessions.head(key)).generation === generation, false, 'whether it is the old one')
      same((await tasks.head(keyOf('t1')))?.generation, generation, 'the session of the first task')
      await tasks.append(keyOf('t1'), 1, [statusAt('working', 1)], said)
      same((await sessions.read(key, 1)).length, 0, 'entries')
      same((await tasks.open(key)).length, 1, 'open tasks')
    },
  },
  {
    title: 'whoever takes the turn of a session keeps tasks from it until it is released',
    run: async ({ tasks, sessions }) => {
      await tasks.create(recordOf('t1'), [statusAt('submitted')])
      same(await sessions.take(key, 'x', now), 't1', 'who has the turn')
      const taken = sessions.take(key, 'x', soon())
      await tasks.append(keyOf('t1'), 1, [statusAt('working', 1), statusAt('completed', 2)])
      same(await taken, undefined, 'who keeps it from the turn')
      await tasks.create(recordOf('t2'), [statusAt('submitted')])
      same(await tasks.turn(keyOf('t2'), now), 'x', 'who keeps the task from it')
      await refused(sessions.append(key, 0, [entry], at, 'y'), 'busy')
      await sessions.append(key, 0, [entry], at, 'x')
      await sessions.release(key, 'x')
      same(await tasks.turn(keyOf('t2'), now), undefined, 'who keeps the task from it then')
    },
  },
]
