import type { StoreContractCase } from './case.js'
import { deltaEvent, keyOf, messageEvent, recordOf, refused, same, statusAt } from './tools.js'

/** Rules of {@link TaskStore}. */
export const contractOfTasks: readonly StoreContractCase[] = [
  {
    title: 'create stores a task with events numbered from 1',
    run: async ({ tasks }) => {
      const head = await tasks.create(recordOf('t'), [statusAt('submitted'), messageEvent('hi')])
      same(
        [head.seq, head.state, head.record.principal],
        [2, 'submitted', 'alice'],
        'head of create',
      )
      const events = await tasks.read(keyOf('t'), 1)
      same(
        events.map(({ seq, type }) => [seq, type]),
        [
          [1, 'status'],
          [2, 'message'],
        ],
        'events',
      )
      same(await tasks.read(keyOf('t'), 3), [], 'events after the last')
      same((await tasks.read(keyOf('t'), 1, 1)).length, 1, 'events of a limited read')
    },
  },
  {
    title: 'create refuses an id that exists, for whichever principal',
    run: async ({ tasks }) => {
      await tasks.create(recordOf('t'), [])
      await refused(tasks.create(recordOf('t'), []), 'conflict')
      await refused(tasks.create(recordOf('t', { principal: 'bob' }), []), 'conflict')
    },
  },
  {
    title: 'the secret of a call keeps the result that came first, until its task is removed',
    run: async ({ tasks }) => {
      await tasks.create(recordOf('t'), [statusAt('submitted')])
      await refused(tasks.addGrant({ principal: 'bob', id: 't' }, 'd', 'call'), 'task-not-found')
      await tasks.addGrant(keyOf('t'), 'd1', 'call 1')
      await tasks.addGrant(keyOf('t'), 'd2', 'call 2')
      same(await tasks.takeGrant('d3', 'result'), undefined, 'an unknown secret')
      const first = { key: keyOf('t'), call: 'call 1', content: 'result 0' }
      const all = await Promise.all([0, 1, 2].map((n) => tasks.takeGrant('d1', `result ${n}`)))
      const [content = ''] = all.flatMap((grant) => grant?.content ?? [])
      same(
        all,
        [0, 1, 2].map(() => ({ ...first, content })),
        'results that come at once',
      )
      same(await tasks.takeGrant('d1', 'late'), { ...first, content }, 'a later result')
      same((await tasks.takeGrant('d2', 'other'))?.content, 'other', 'another call')
      await tasks.delete(keyOf('t'))
      same(await tasks.takeGrant('d1', content), undefined, 'the secret of a removed task')
    },
  },
  {
    title: 'a message id makes one task per principal and agent, with the digest of the first body',
    run: async ({ tasks }) => {
      const made = await Promise.allSettled(
        ['t1', 't2', 't3'].map((id) =>
          tasks.create(recordOf(id), [statusAt('submitted')], { id: 'm', digest: id }),
        ),
      )
      same(made.filter(({ status }) => status === 'fulfilled').length, 1, 'tasks that were made')
      for (const one of made)
        if (one.status === 'rejected') await refused(Promise.reject(one.reason), 'conflict')
      const found = await tasks.taskOfMessage('alice', 'a', 'm')
      same(
        [found?.taskId, (await tasks.list({ principal: 'alice', limit: 9 })).total],
        [found?.digest, 1],
        'the task',
      )
      await tasks.create(recordOf('t4', { principal: 'bob' }), [], { id: 'm', digest: 'd' })
      await tasks.create(recordOf('t5', { agent: 'b' }), [], { id: 'm', digest: 'd' })
      await tasks.forgetMessage('alice', 'a', 'm')
      same(await tasks.taskOfMessage('alice', 'a', 'm'), undefined, 'a message that was forgotten')
      await tasks.create(recordOf('t6'), [], { id: 'm', digest: 'd' })
    },
  },
  {
    title: 'append stores all events or none, and only at the expected number',
    run: async ({ tasks }) => {
      await tasks.create(recordOf('t'), [statusAt('submitted')])
      const writers = await Promise.allSettled(
        Array.from({ length: 8 }, () =>
          tasks.append(keyOf('t'), 1, [statusAt('working', 1), deltaEvent('x')]),
        ),
      )
      same(writers.filter(({ status }) => status === 'fulfilled').length, 1, 'writers that won')
      for (const writer of writers)
        if (writer.status === 'rejected') await refused(Promise.reject(writer.reason), 'conflict')
      same((await tasks.head(keyOf('t')))?.seq, 3, 'number of the last event')
      await refused(
        tasks.append(keyOf('t'), 3, [deltaEvent('y'), statusAt('submitted', 2)]),
        'unsupported-operation',
      )
      same((await tasks.head(keyOf('t')))?.seq, 3, 'number after a refused append')
      await refused(tasks.append(keyOf('none'), 0, [deltaEvent('x')]), 'task-not-found')
    },
  },
  {
    title: 'load folds the task from its events',
    run: async ({ tasks }) => {
      await tasks.create(recordOf('t', { metadata: { a: 1 } }), [
        statusAt('submitted'),
        messageEvent('hi'),
      ])
      await tasks.append(keyOf('t'), 2, [
        statusAt('working', 1),
        deltaEvent('He'),
        deltaEvent('llo'),
      ])
      const found = await tasks.load(keyOf('t'))
      same(found?.task.state, 'working', 'state')
      same(found?.task.messages.length, 1, 'messages')
      same(
        found?.task.artifacts[0]?.parts,
        [{ type: 'text', content: 'Hello' }],
        'the partial answer',
      )
      same(found?.head.seq, 5, 'number')
      same(await tasks.load(keyOf('none')), undefined, 'a task that does not exist')
    },
  },
  {
    title: 'a task does not exist for another principal',
    run: async ({ tasks }) => {
      await tasks.create(recordOf('t'), [statusAt('submitted')])
      const bob = keyOf('t', 'bob')
      same(await tasks.head(bob), undefined, 'head')
      same(await tasks.load(bob), undefined, 'load')
      await refused(tasks.read(bob, 1), 'task-not-found')
      await refused(tasks.append(bob, 1, [deltaEvent('x')]), 'task-not-found')
      await refused(tasks.watch(bob, 1).next(), 'task-not-found')
      same((await tasks.list({ principal: 'bob', limit: 9 })).total, 0, 'listed tasks')
      await tasks.delete(bob)
      same((await tasks.head(keyOf('t')))?.seq, 1, 'number after a foreign delete')
    },
  },
  {
    title: 'watch gives stored events, then new ones, each once and in order, to every reader',
    run: async ({ tasks }) => {
      await tasks.create(recordOf('t'), [statusAt('submitted')])
      const readers = [1, 2, 1].map(async (from) => {
        const seen: number[] = []
        for await (const { seq } of tasks.watch(keyOf('t'), from)) seen.push(seq)
        return seen
      })
      await tasks.append(keyOf('t'), 1, [statusAt('working', 1)])
      for (let seq = 2; seq < 20; seq++) await tasks.append(keyOf('t'), seq, [deltaEvent('x')])
      await tasks.append(keyOf('t'), 20, [statusAt('completed', 2)])
      const all = Array.from({ length: 21 }, (_, index) => index + 1)
      same(await Promise.all(readers), [all, all.slice(1), all], 'numbers that the readers saw')
    },
  },
  {
    title: 'watch ends when its signal aborts, and leaves other readers alone',
    run: async ({ tasks }) => {
      await tasks.create(recordOf('t'), [statusAt('submitted')])
      const controller = new AbortController()
      const stopped = tasks.watch(keyOf('t'), 2, controller.signal)
      const other = tasks.watch(keyOf('t'), 2)
      const ended = stopped.next()
      const next = other.next()
      controller.abort()
      same((await ended).done, true, 'end of the aborted reader')
      await tasks.append(keyOf('t'), 1, [statusAt('working', 1)])
      const read = await next
      same(read.done ? undefined : read.value.seq, 2, 'number that the other reader saw')
      await other.return?.()
    },
  },
  {
    title:
      'list is by status time, newest first, with a cursor that stays valid while tasks are added',
    run: async ({ tasks }) => {
      for (let index = 0; index < 7; index++)
        await tasks.create(recordOf(`t${index}`), [statusAt('submitted', index < 4 ? 1 : 2)])
      await tasks.append(keyOf('t0'), 1, [statusAt('working', 3)])
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await tasks.list({
          principal: 'alice',
          limit: 2,
          ...(cursor !== undefined && { cursor }),
        })
        seen.push(...page.heads.map(({ record }) => record.id))
        if (seen.length === 4) await tasks.create(recordOf('late'), [statusAt('submitted', 9)])
        cursor = page.next
      } while (cursor !== undefined)
      same(seen[0], 't0', 'the task whose status changed last')
      same([...seen].sort(), ['t0', 't1', 't2', 't3', 't4', 't5', 't6'], 'all tasks, each once')
      const times = (await tasks.list({ principal: 'alice', limit: 99 })).heads.map(
        ({ statusAt: at }) => at,
      )
      same(times, [...times].sort().reverse(), 'status times')
    },
  },
  {
    title: 'list filters by agent, session, state and time, and counts what matches',
    run: async ({ tasks }) => {
      await tasks.create(recordOf('t1'), [statusAt('submitted', 1)])
      await tasks.create(recordOf('t2', { sessionId: 'other' }), [statusAt('submitted', 2)])
      await tasks.create(recordOf('t3', { agent: 'b' }), [statusAt('submitted', 3)])
      await tasks.append(keyOf('t1'), 1, [statusAt('working', 5)])
      const idsOf = async (query: object) =>
        (await tasks.list({ principal: 'alice', limit: 9, ...query })).heads.map(
          ({ record }) => record.id,
        )
      same(await idsOf({ agent: 'a' }), ['t1', 't2'], 'by agent')
      same(await idsOf({ sessionId: 'other' }), ['t2'], 'by session')
      same(await idsOf({ state: 'working' }), ['t1'], 'by state')
      same(
        await idsOf({ statusAfter: '2026-01-01T00:00:03.000Z' }),
        ['t1', 't3'],
        'by time, the time itself included',
      )
      same((await tasks.list({ principal: 'alice', limit: 1, agent: 'a' })).total, 2, 'total')
      await refused(
        tasks.list({ principal: 'alice', limit: 1, cursor: 'no cursor' }),
        'invalid-params',
      )
    },
  },
]
