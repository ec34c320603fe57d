// Mistakes that were found by others, put back by a small change of what a process is given: the
// histories have to find each of them.
import { AgentError, createMessage, type HeldTask } from '@modelport/agent'
import type { DurableStore } from '../../src/index.js'
import type { Mistake } from './cluster.js'

const holding =
  (change: (held: HeldTask) => HeldTask) =>
  (store: DurableStore): DurableStore => {
    const { leases } = store
    return {
      ...store,
      ping: () => store.ping(),
      work: (options) => store.work(options),
      close: () => store.close(),
      [Symbol.asyncDispose]: () => store.close(),
      ...(leases && {
        leases: {
          checkMs: leases.checkMs,
          hold: async (key, fingerprint) => {
            const held = await leases.hold(key, fingerprint)
            return held && change(held)
          },
          abandoned: (agents) => leases.abandoned(agents),
          expired: (agents) => leases.expired(agents),
          lookAt: (key, time) => leases.lookAt(key, time),
        },
      }),
    }
  }

const withHeld = (held: HeldTask, change: Partial<HeldTask>): HeldTask => ({
  tasks: held.tasks,
  signal: held.signal,
  attempt: held.attempt,
  open: (id) => held.open(id),
  stop: (why) => held.stop(why),
  release: () => held.release(),
  ...change,
})

/** An object with its prototype, and some methods replaced. */
const changed = <Value extends object>(value: Value, change: Partial<Value>): Value =>
  new Proxy(value, {
    get: (target, name) => {
      const own: unknown = (name in change ? change : target)[name as keyof Value]
      return typeof own === 'function' ? (own.bind(target) as unknown) : own
    },
  })

/** Each mistake: what it is, by the letter that its examiner gave it. */
export const mistakes = {
  'P0: a broken connection is a failure of the call': {
    tool: (tool) => ({
      ...tool,
      execute: async (value, context) => {
        try {
          return await tool.execute(value, context)
        } catch {
          throw new Error('it failed')
        }
      },
    }),
  },
  'C1: a client that gets no reply sends a new message': {
    user: (client) =>
      changed(client, {
        send: async (message, options) => {
          try {
            return await client.send(message, options)
          } catch (error) {
            if (
              typeof message === 'string' ||
              !('parts' in message) ||
              options?.taskId !== undefined
            )
              throw error
            return client.send(createMessage('user', message.parts), options)
          }
        },
      }),
  },
  'N3: calls of a message begin without an entry': {
    store: holding((held) =>
      withHeld(held, {
        open: async (id) => {
          const turn = await held.open(id)
          const { journal } = turn
          return { ...turn, journal: changed(journal, { writeIntent: () => undefined }) }
        },
      }),
    ),
  },
  'N4: a task that is taken over forgets the beginning of what it said': {
    store: holding((held) =>
      withHeld(held, {
        tasks: changed(held.tasks, {
          append: (key, expected, events, said) =>
            held.tasks.append(key, expected, events, held.attempt > 1 ? said?.slice(2) : said),
        }),
      }),
    ),
  },
  'N5: a handler pays without an effect': { handlerPays: 'plainly' },
  'N6: an agent that is away has refused': {
    bank: (client) =>
      changed(client, {
        get: (id, options) =>
          client.get(id, options).catch((error: unknown) => {
            throw new AgentError('invalid-params', `it refused: ${String(error)}`)
          }),
      }),
  },
  'N7: a delegation that is broken off has failed': {
    bank: (client) =>
      changed(client, {
        stream: async function* (message, options) {
          try {
            yield* client.stream(message, options)
          } catch (error) {
            throw new AgentError('invalid-params', `it cannot be reached: ${String(error)}`)
          }
        },
      }),
  },
  'N8: a process reads a conversation without its newest entry': {
    store: (store) =>
      changed(store, {
        sessions: changed(store.sessions, {
          read: async (key, from) => (await store.sessions.read(key, from)).slice(0, -1),
        }),
      }),
  },
  'N10: the result of late work does not arrive': {
    user: (client) =>
      changed(client, {
        decide: (task, decisions, signal) =>
          decisions.some(({ requestId, outcome }) => outcome && requestId.endsWith('#result'))
            ? Promise.resolve(task)
            : client.decide(task, decisions, signal),
      }),
  },
  'N11: another run with the id of one is accepted': {
    operator: (store) =>
      changed(store, {
        runs: changed(store.runs, {
          start: (id, definition, input) =>
            store.runs.start(id, definition, input).catch(() => undefined),
        }),
      }),
  },
  'N14: an approved call is answered and not made': {
    tool: (tool) =>
      tool.definition.name === 'signed'
        ? { ...tool, execute: (value) => `paid ${(value as { wish: string }).wish}` }
        : tool,
  },
  'N15: a decision that comes while another one works is lost': {
    user: (client) => {
      const open = new Set<string>()
      return changed(client, {
        decide: async (task, decisions, signal) => {
          if (open.has(task.id)) return task
          open.add(task.id)
          try {
            return await client.decide(task, decisions, signal)
          } finally {
            open.delete(task.id)
          }
        },
      })
    },
  },
  'L1: two processes work on one run': {
    database: (database) =>
      changed(database, {
        write: (statements) => database.write(statements.map(({ expect: _, ...rest }) => rest)),
      }),
  },
} as const satisfies Readonly<Record<string, Mistake>>
