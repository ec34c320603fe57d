// The moves of histories. They come from the types: a new operation of clients, hosts, stores, runs
// or operators does not compile until it has a move.
import {
  type AgentClient,
  type AgentHost,
  createMessage,
  createPart,
  type SessionStore,
  type Task,
} from '@modelport/agent'
import type { BudgetDesk, SharedBudgets } from '@modelport/runtime'
import type { DurableRuns, DurableStore, StoreOperations } from '../../src/index.js'
import { chatMoves } from './chat-moves.js'
import { about, actorOf, anyAlive, anySent, inside } from './choose.js'
import {
  addresses,
  type Cluster,
  chatHost,
  chatOwner,
  mcpHost,
  principal,
  type Sent,
} from './cluster.js'
import type { Job, Move } from './history.js'
import { definitionOf, modelFaults, ownCalls, ownLimit, payer, promptOf } from './program.js'
import { counted, newSent, type Play, type Row } from './sent.js'
import { strangerMoves } from './stranger-moves.js'
import { type Exchange, exchanges } from './virtual-network.js'

const sides = ['desk', 'bank'] as const
const hosts = [addresses.bank, addresses.desk, addresses.bank, chatHost, mcpHost] as const
/** Sends the message of a job as its user: who hears nothing sends it again. */
async function send(
  cluster: Cluster,
  sent: Sent,
  how: 'send' | 'stream' | 'at once',
): Promise<void> {
  const client = cluster.clientOf(sent)
  const { session } = sent.job
  const options = session === undefined ? {} : { sessionId: session }
  const accept = (id: string): void => {
    // A message whose task was forgotten is a new one.
    if (sent.taskId !== undefined && sent.taskId !== id && !sent.wasForgotten)
      cluster.internal.push(`${sent.job.id} got the tasks ${sent.taskId} and ${id}`)
    sent.taskId = id
    sent.isAccepted = true
  }
  if (how === 'stream') {
    for await (const event of client.stream(sent.message, options))
      if (event.type === 'task') accept(event.task.id)
    return
  }
  const task = await client.send(sent.message, { ...options, returnImmediately: how === 'at once' })
  accept(task.id)
}

async function sendUntilAccepted(
  cluster: Cluster,
  sent: Sent,
  how: 'send' | 'stream' | 'at once',
): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt++) {
    try {
      await send(cluster, sent, how)
      return
    } catch (error) {
      cluster.note(`${sent.job.id} was not accepted: ${String(error).slice(0, 120)}`)
      if (sent.isAccepted) return
      await cluster.world.pause(1500)
    }
  }
}

const message =
  (how: 'send' | 'stream' | 'at once'): Play =>
  (cluster, { job }) => {
    if (!job) return false
    if (job.kind === 'run') return startRun(cluster, job)
    const sent = newSent(cluster, job)
    cluster.act(job.id, () => counted(sent, () => sendUntilAccepted(cluster, sent, how)))
    return true
  }

function startRun(cluster: Cluster, job: Job): boolean {
  const own = { ...job, steps: ownCalls(job.steps) }
  const sent: Sent = {
    job: own,
    message: createMessage('user', 'a run'),
    taskId: job.id,
    isAccepted: false,
    mayEnd: false,
    replies: [],
    sends: { begun: 0, over: 0 },
  }
  cluster.sent.push(sent)
  const { runs } = cluster.operators.desk
  const definition = definitionOf(
    { receiver: cluster.receiver, onRead: () => undefined },
    cluster.version,
  )
  cluster.act(job.id, async () => {
    await runs.start(job.id, definition, promptOf(job.id, own.steps))
    sent.isAccepted = true
  })
  return true
}

/** Does something with a session. */
const inSession =
  (what: string, run: (cluster: Cluster, session: string, move: Move) => Promise<unknown>): Play =>
  (cluster, move) => {
    const sessions = cluster.sent.flatMap(({ job }) =>
      job.session === undefined || job.kind === 'chat' || job.kind === 'guest' ? [] : [job.session],
    )
    const session = sessions[move.n % Math.max(1, sessions.length)]
    if (session === undefined) return false
    cluster.act(`${what} ${session}`, () => run(cluster, session, move))
    return true
  }

const always =
  (what: string, run: (cluster: Cluster, move: Move) => Promise<unknown>): Play =>
  (cluster, move) => {
    cluster.act(what, () => run(cluster, move))
    return true
  }

const decide: Play = about('decides', async (client, { taskId, job }, cluster, { n }) => {
  const task = await client.get(taskId)
  const isTwice = n % 3 === 0
  const wasAsked = await Promise.all([
    cluster.decideAsUser(client, task, n >> 2),
    isTwice && cluster.decideAsUser(client, task, (n >> 2) + (n % 2)),
  ])
  if (wasAsked[0])
    cluster.note(`${job.id} was decided${isTwice ? ' twice, or two of its requests' : ''}`)
})

const read = async (events: AsyncIterable<unknown>, most: number): Promise<void> => {
  let count = 0
  for await (const _ of events) if (++count >= most) break
}

/** The first result of work elsewhere that a task waits for. */
const lateRequestOf = ({ statusMessage }: Task) =>
  (statusMessage?.parts ?? [])
    .flatMap((part) => (part.type === 'request' ? [part.content] : []))
    .find(({ reason }) => reason?.includes('continues elsewhere'))

const noteCancel = ({ world }: Cluster, sent: Sent): void => {
  sent.cancelledAt ??= world.now
}

/** The caller may ask anew, and what it asked for is a new wish then. */
const forgetDelegationsOf = (sent: Sent): void => {
  sent.mayEnd = true
  sent.wasForgotten = true
}

const clientMoves = {
  send: { weight: 14, hasJob: true, play: message('send') },
  stream: { weight: 8, hasJob: true, play: message('stream') },
  decide: { weight: 14, play: decide },
  cancel: {
    weight: 4,
    play: about('cancels', async (client, sent, cluster) => {
      sent.mayEnd = true
      cluster.loseCalls()
      await client.cancel(sent.taskId, 'no longer wanted')
      noteCancel(cluster, sent)
    }),
  },
  get: { weight: 1, play: about('gets', (client, { taskId }) => client.get(taskId)) },
  list: { weight: 1, play: always('lists', (cluster) => cluster.client('desk').list()) },
  subscribe: {
    weight: 2,
    play: about('subscribes', (client, { taskId }, _, { n }) =>
      read(client.subscribe(taskId), n % 8),
    ),
  },
  compactHistory: {
    weight: 1,
    play: inSession('compacts', (cluster, session) => {
      cluster.broken.add(session)
      return cluster.client('desk').compactHistory(session)
    }),
  },
  card: { weight: 0.3, play: always('reads the card', (cluster) => cluster.client('desk').card()) },
  extendedCard: {
    weight: 0.3,
    play: always('asks for the fuller card', (cluster) => cluster.client('desk').extendedCard()),
  },
  deliver: {
    weight: 1,
    play: about('delivers', async (client, { taskId }, cluster) => {
      const late = lateRequestOf(await client.get(taskId))
      if (!late) return
      const [wish = ''] = cluster.wishesIn(late.action)
      if (!cluster.receiver.finish(wish)) return
      await client.deliver(taskId, { result: `paid ${wish}` }, { request: late.requestId })
      cluster.note(`the result of ${wish} was delivered`)
    }),
  },
  forget: {
    weight: 0.5,
    // What a task said to the other agent is removed there, also while both work.
    play: about('has its delegations forgotten', (_, sent, cluster) => {
      forgetDelegationsOf(sent)
      return cluster.client('bank').forget([sent.taskId])
    }),
  },
  hosts: {
    weight: 0.1,
    play: (cluster) => cluster.client('desk').hosts().length > 0,
  },
} as const satisfies Record<keyof AgentClient, Row>

const keyOf = (cluster: Cluster, n: number) => {
  const { taskId } = anySent(cluster, n) ?? {}
  return taskId === undefined ? undefined : { principal, id: taskId }
}

const ofHost = (
  run: (host: AgentHost, id: string, cluster: Cluster, move: Move) => Promise<unknown>,
): Play =>
  inside('host', async ({ server, side }, cluster, move) => {
    const key = keyOf(cluster, move.n)
    if (key && side === 'desk') await run(server.host, key.id, cluster, move)
  })

const hostMoves = {
  'host.send': {
    weight: 1,
    // The same message again.
    play: about('sends again', (_, sent, cluster) =>
      counted(sent, () => send(cluster, sent, 'at once')),
    ),
  },
  'host.get': { weight: 0.2, play: ofHost((host, id) => host.get({ principal, id })) },
  'host.cancel': {
    weight: 0.5,
    play: ofHost((host, id, cluster, { n }) => {
      const sent = anySent(cluster, n)
      if (sent) sent.mayEnd = true
      cluster.loseCalls()
      return host.cancel({ principal, id })
    }),
  },
  'host.deliver': {
    weight: 2,
    play: ofHost(async (host, id, cluster) => {
      const { task } = await host.get({ principal, id })
      const request = lateRequestOf(task)
      if (!request) return
      const [wish = ''] = cluster.wishesIn(request.action)
      if (!cluster.receiver.finish(wish)) return
      await host.deliver(
        { principal, id },
        { result: `paid ${wish}` },
        { request: request.requestId },
      )
      cluster.note(`the result of ${wish} was delivered`)
    }),
  },
  'host.settled': {
    weight: 0.3,
    play: ofHost((host, id) => host.settled({ principal, id }, 0)),
  },
  'host.compact': {
    weight: 0.3,
    play: inSession('compacts', (cluster, session, { n }) => {
      cluster.broken.add(session)
      const one = anyAlive(cluster, n)
      if (one?.side !== 'desk') return Promise.resolve()
      return cluster.world.as(one.process, () =>
        one.server.host.compact({ principal, agent: 'desk', id: session }),
      )
    }),
  },
  'host.forget': {
    weight: 0.3,
    play: inside('forgets', async ({ server, side }, cluster, { n }) => {
      const sent = anySent(cluster, n)
      if (side !== 'bank' || sent?.taskId === undefined) return
      forgetDelegationsOf(sent)
      await server.host.forget(principal, 'bank', [sent.taskId])
    }),
  },
  'host.recover': { weight: 0.5, play: ofHost((host, id) => host.recover([{ principal, id }])) },
  'host.drain': {
    weight: 1.5,
    // A deployment: the process gives its work back and ends, and the next version starts.
    play: (cluster, { n }) => {
      const one = anyAlive(cluster, n)
      if (!one) return false
      const place = cluster.running.indexOf(one)
      cluster.version += n % 2
      cluster.hasDrained = true
      cluster.world.as(one.process, () =>
        cluster.act('drains', async () => {
          cluster.loseCalls()
          const timeoutMs = n % 3 === 0 ? 0 : 500
          await Promise.all([one.server.close(timeoutMs), one.worker?.stop(), one.chat?.close()])
          cluster.note(`${one.process.name} has drained`)
          cluster.kill(one.process)
        }),
      )
      cluster.world.schedule(1000, undefined, () => void cluster.kill(one.process))
      cluster.world.schedule(1200, undefined, () => void cluster.start(place))
      return true
    },
  },
  'host.agentOf': {
    weight: 0.1,
    play: inside('agent', ({ server }) =>
      Promise.resolve(server.host.agents.map(({ name }) => server.host.agentOf(name))),
    ),
  },
} as const satisfies Record<`host.${Exclude<keyof AgentHost, 'store' | 'entropy' | 'agents'>}`, Row>

const operated =
  (
    run: (
      operations: StoreOperations,
      id: string,
      cluster: Cluster,
      sent: Sent,
    ) => Promise<unknown>,
  ): Play =>
  (cluster, { n }) => {
    const { sent } = cluster
    const one = sent[n % Math.max(1, sent.length)]
    if (one?.taskId === undefined) return false
    const { taskId } = one
    cluster.act('operates', () => run(cluster.operators.desk.operations, taskId, cluster, one))
    return true
  }

const operationMoves = {
  'operations.list': {
    weight: 0.3,
    play: operated((operations) => operations.list({ all: true })),
  },
  'operations.decide': {
    weight: 6,
    play: always('an operator decides', (cluster, { n }) =>
      cluster.decideAsOperator(sides[n % 4 === 0 ? 1 : 0], n >> 2, n % 3 > 0),
    ),
  },
  'operations.resume': {
    weight: 2,
    play: operated(async (operations, id, cluster, { job }) => {
      const before = cluster.holdOf(id)
      await operations.resume(id)
      const after = cluster.holdOf(id)
      // Its lease lasts for longer than clocks differ, and nobody gave it back.
      const isTaken = before?.status === 'running' && after?.epoch === before.epoch + 1
      if (isTaken && before.leftMs > 1000 && !cluster.hasDrained)
        cluster.internal.push(`an operator took ${job.id} from a live process`)
    }),
  },
  'operations.resumeVersion': {
    weight: 0.3,
    play: operated((operations) => operations.resumeVersion('1')),
  },
  'operations.cancel': {
    weight: 0.7,
    play: operated(async (operations, id, cluster, sent) => {
      sent.mayEnd = true
      cluster.loseCalls()
      await operations.cancel(id, 'an operator ends it')
      noteCancel(cluster, sent)
    }),
  },
  'operations.prune': {
    weight: 1,
    play: operated((operations, _id, cluster) => {
      // A message whose task is gone is a new one.
      for (const sent of cluster.overIn('desk')) sent.mayEnd = sent.wasForgotten = true
      return operations.prune({ before: Date.now() - 2000 })
    }),
  },
  'operations.forget': {
    weight: 2,
    play: operated(async (operations, _id, cluster, { job: { kind } }) => {
      const isChat = kind === 'chat'
      const own = () =>
        cluster.sent.filter(
          ({ job }) =>
            job.kind !== 'run' && job.kind !== 'guest' && (job.kind === 'chat') === isChat,
        )
      const note = (): void => {
        for (const each of own()) {
          each.mayEnd = true
          each.wasForgotten = true
        }
        if (!isChat) for (const session of ['s1', 's2']) cluster.broken.add(session)
        cluster.loseCalls()
      }
      note()
      const quiet = own().flatMap((sent) =>
        sent.sends.begun === sent.sends.over ? [{ sent, sends: sent.sends.begun }] : [],
      )
      await operations.forget(isChat ? chatOwner : principal, { waitMs: 0 })
      cluster.forgotten.push(...quiet)
      // What came meanwhile is forgotten as well.
      note()
    }),
  },
} as const satisfies Record<`operations.${keyof StoreOperations}`, Row>

const aboutRun =
  (run: (runs: DurableRuns, id: string, cluster: Cluster, sent: Sent) => Promise<unknown>): Play =>
  (cluster, { n }) => {
    const all = cluster.sent.filter(({ job }) => job.kind === 'run')
    const one = all[n % Math.max(1, all.length)]
    if (!one) return false
    cluster.act('a run', () => run(cluster.operators.desk.runs, one.job.id, cluster, one))
    return true
  }

const definitionIn = (cluster: Cluster) =>
  definitionOf({ receiver: cluster.receiver, onRead: () => undefined }, cluster.version)

const runMoves = {
  'runs.start': {
    weight: 2,
    // Again, with the same or with another input, which must be refused.
    play: aboutRun(async (runs, id, cluster, { job, isAccepted, mayEnd }) => {
      const input = promptOf(id, job.steps)
      await runs.start(id, definitionIn(cluster), input)
      const isRefused = await runs.start(id, definitionIn(cluster), `${input} and more`).then(
        () => false,
        () => true,
      )
      if (isAccepted && !mayEnd && !isRefused)
        cluster.internal.push(`another input of the run ${id} was accepted`)
    }),
  },
  'runs.run': {
    weight: 1,
    // In a second process at the same time.
    play: (cluster, { n }) => {
      const all = cluster.sent.filter(({ job }) => job.kind === 'run')
      const sent = all[n % Math.max(1, all.length)]
      const one = anyAlive(cluster, n)
      if (!sent || one?.side !== 'desk') return false
      cluster.world.as(one.process, () =>
        cluster.act('runs', () => one.store.runs.result(sent.job.id)),
      )
      return true
    },
  },
  'runs.work': { weight: 0.2, play: aboutRun((runs, id) => runs.get(id)) },
  'runs.result': { weight: 0.3, play: aboutRun((runs, id) => runs.result(id)) },
  'runs.reopen': {
    weight: 0.7,
    play: aboutRun((runs, id, cluster) => runs.reopen(id, definitionIn(cluster))),
  },
  'runs.decide': {
    weight: 2,
    play: aboutRun(async (_runs, _id, cluster) => cluster.decideAsOperator('desk', 1, true)),
  },
  'runs.cancel': {
    weight: 0.4,
    play: aboutRun(async (runs, id, cluster, sent) => {
      sent.mayEnd = true
      cluster.loseCalls()
      await runs.cancel(id, 'no longer wanted')
      noteCancel(cluster, sent)
    }),
  },
  'runs.get': { weight: 0.1, play: aboutRun((runs, id) => runs.get(id)) },
  'runs.open': { weight: 0.1, play: aboutRun((runs) => runs.open()) },
  'runs.events': { weight: 0.3, play: aboutRun((runs, id) => read(runs.events(id), 5)) },
  'runs.journal': { weight: 0.1, play: aboutRun((runs, id) => runs.journal(id)) },
} as const satisfies Record<`runs.${keyof DurableRuns}`, Row>

const sessionMoves = {
  'sessions.delete': {
    weight: 1.5,
    play: inSession('deletes', (cluster, session) => {
      cluster.broken.add(session)
      cluster.loseCalls()
      for (const each of cluster.sent) if (each.job.session === session) each.mayEnd = true
      return cluster.operators.desk.sessions.delete({ principal, agent: 'desk', id: session })
    }),
  },
  'sessions.read': {
    weight: 0.2,
    play: inSession('reads', (cluster, id) =>
      cluster.operators.desk.sessions.read({ principal, agent: 'desk', id }, 1),
    ),
  },
  'sessions.take': {
    weight: 1,
    // Somebody holds the turn of a session for a while.
    play: inSession('takes', async (cluster, id, { n }) => {
      const { sessions } = cluster.operators.desk
      const key = { principal, agent: 'desk', id }
      await sessions.take(key, `holder ${n}`, new AbortController().signal)
      await cluster.world.pause(n * 3)
      await sessions.release(key, `holder ${n}`)
    }),
  },
} as const satisfies Partial<Record<`sessions.${keyof SessionStore}`, Row>>

/** What an operator does about the calls of the model. */
const budgetMoves = {
  'budgets.of': {
    weight: 0.1,
    play: inside('asks for a ledger', ({ store }) =>
      Promise.resolve(store.budgets.of(payer, { window: 'none', maxCalls: ownLimit })),
    ),
  },
  'budgets.set': {
    weight: 2,
    play: always('limits calls', (cluster, { n }) => {
      const limit = 1 + (n % 12)
      cluster.note(`an operator allows ${limit} calls of the model`)
      return cluster.allow('limit', { limit }, () =>
        cluster.operators.desk.budgets.set(payer, { window: 'none', maxCalls: limit }),
      )
    }),
  },
  'budgets.topUp': {
    weight: 0.5,
    play: always('allows more calls', (cluster, { n }) =>
      cluster.allow('limit', { added: cluster.allowed.added + (n % 9) + 1 }, () =>
        cluster.operators.desk.budgets.topUp(payer, 'none', { calls: (n % 9) + 1 }),
      ),
    ),
  },
  'budgets.remove': {
    weight: 0.4,
    play: always('forgets a limit', (cluster) =>
      cluster.allow('nothing spent', { limit: ownLimit, added: 0 }, () =>
        cluster.operators.desk.budgets.remove(payer, 'none'),
      ),
    ),
  },
  'budgets.list': {
    weight: 0.1,
    play: always('lists budgets', ({ operators }) => operators.desk.budgets.list()),
  },
} as const satisfies Record<`budgets.${Exclude<keyof SharedBudgets, keyof BudgetDesk>}`, Row>

const storeMoves = {
  work: {
    weight: 1,
    // One pass of a cron job in a process of its own.
    play: inside('works', ({ store, server, side }) =>
      side === 'desk' ? store.work({ agents: server.host.agents, maxMs: 2000 }) : Promise.resolve(),
    ),
  },
  ping: { weight: 0.1, play: inside('pings', ({ store }) => store.ping()) },
} as const satisfies Partial<Record<keyof DurableStore, Row>>

const restart = (cluster: Cluster, place: number, n: number): void => {
  if (n % 4 !== 0) cluster.world.schedule(100 + n * 6, undefined, () => void cluster.start(place))
}

/** What happens to processes, clocks, networks and databases. */
const faultMoves = {
  kill: {
    weight: 8,
    play: (cluster, move) => {
      const { n } = move
      const one = actorOf(cluster, move)
      if (!one) return false
      cluster.note(`${one.process.name} is killed`)
      restart(cluster, cluster.running.indexOf(one), n)
      return cluster.kill(one.process)
    },
  },
  'die at a write': {
    weight: 8,
    play: (cluster, move) => {
      const { n } = move
      const one = actorOf(cluster, move)
      if (!one) return false
      one.connection.dieAt = { writes: 1 + (n % 17), commits: n % 2 === 0 }
      const place = cluster.running.indexOf(one)
      cluster.world.schedule(5000 + n * 3, undefined, () => void cluster.start(place))
      return true
    },
  },
  'die in a sending': {
    weight: 10,
    play: (cluster, move) => {
      const { n } = move
      const one = actorOf(cluster, move)
      if (!one) return false
      one.process.diesIn = { sendings: 1 + (n % 3), arrives: n % 4 > 0 }
      const place = cluster.running.indexOf(one)
      cluster.world.schedule(5000 + n * 3, undefined, () => void cluster.start(place))
      return true
    },
  },
  freeze: {
    weight: 5,
    play: (cluster, move) => {
      const { n } = move
      const one = actorOf(cluster, move)
      if (!one) return false
      one.process.wakesAt = cluster.world.now + 200 + n * 6
      cluster.loseCalls()
      cluster.note(`${one.process.name} is frozen for ${200 + n * 6} ms`)
      return true
    },
  },
  start: { weight: 1, play: (cluster, { n }) => cluster.start(n % 3) },
  'step a clock': {
    weight: 1.5,
    play: (cluster, move) => {
      const { n } = move
      const one = actorOf(cluster, move)
      if (one) one.process.clockOffset += (n - 500) * 0.6
      return one !== undefined
    },
  },
  'database away': {
    weight: 2.5,
    play: (cluster, move) => {
      const { n } = move
      const one = actorOf(cluster, move)
      if (one) one.connection.awayUntil = cluster.world.now + n * 4
      cluster.loseCalls()
      return one !== undefined
    },
  },
  'slow write': {
    weight: 6,
    // Longer than a lease, now and then: its process is taken for dead, and the write arrives.
    play: (cluster, move) => {
      const { n } = move
      const one = actorOf(cluster, move)
      // Often about as long as a lease.
      const ms = n % 2 === 0 ? n * 8 : 1500 + n
      if (one) one.connection.slow = { ms, ofRun: n % 3 > 0 }
      cluster.loseCalls()
      return one !== undefined
    },
  },
  'connection stalls': {
    weight: 6,
    // About as long as a lease: its heartbeats and writes arrive when others may have its work.
    play: (cluster, move) => {
      const one = actorOf(cluster, move)
      if (one)
        Object.assign(one.connection, {
          stallMs: 1200 + move.n * 3,
          stallsBehind: move.n % 3 === 0,
        })
      cluster.loseCalls()
      return one !== undefined
    },
  },
  'slow read': {
    weight: 2,
    play: (cluster, move) => {
      const one = actorOf(cluster, move)
      if (one) one.connection.slowReadMs = move.n * 3
      cluster.loseCalls()
      return one !== undefined
    },
  },
  'a commit loses its reply': {
    weight: 4,
    // Now and then for longer than a lease.
    play: (cluster, move) => {
      const { n } = move
      const one = actorOf(cluster, move)
      const afterMs = n % 4 === 0 ? 1500 + n : n
      if (one) one.connection.losesReply = { afterMs, ofRun: n % 3 > 0 }
      cluster.loseCalls()
      return one !== undefined
    },
  },
  'an operator is slow': {
    weight: 2,
    play: (cluster, { n }) => {
      const connection = cluster.operatorConnections[n % 4 === 0 ? 'bank' : 'desk']
      if (n % 3 === 0) connection.slowReadMs = n * 2
      else connection.slow = { ms: n * 2, ofRun: false }
      return true
    },
  },
  'receiver away': {
    weight: 2,
    play: (cluster, { n }) => {
      cluster.receiver.awayUntil = cluster.world.now + n * 4
      return true
    },
  },
  'model away': {
    weight: 3,
    play: (cluster, { n }) => {
      const how = modelFaults[n % modelFaults.length]!
      cluster.modelAway = { until: cluster.world.now + n * 8, how }
      cluster.note(`the model fails for ${n * 8} ms: ${how}`)
      return true
    },
  },
  'server away': {
    weight: 3,
    play: (cluster, { n }) => {
      // Now and then for longer than a client tries again.
      const ms = n % 5 === 0 ? 20_000 : n * 12
      cluster.network.awayUntil.set(hosts[n % hosts.length]!, cluster.world.now + ms)
      return true
    },
  },
  'fault of an exchange': {
    weight: 9,
    play: (cluster, { n }) => {
      const names = Object.keys(exchanges) as Exchange[]
      const host = hosts[n % hosts.length]!
      const queue = cluster.network.faults.get(host) ?? []
      cluster.network.faults.set(host, queue)
      queue.push(...Array.from({ length: 1 + (n % 3) }, () => names[(n >> 2) % names.length]!))
      return true
    },
  },
} as const satisfies Record<string, Row>

const ownMoves = {
  'send and leave': { weight: 10, hasJob: true, play: message('at once') },
  reply: {
    weight: 6,
    // Words in place of a decision, or while it works.
    play: about('replies', async (client, sent) => {
      const { taskId, job, replies } = sent
      if (job.kind !== 'task') return
      const said = createMessage('user', [createPart.text(`Continue ${job.id}, please.`)])
      sent.words = (sent.words ?? 0) + 1
      await client.send(said, { taskId, returnImmediately: true })
      replies.push(said.id)
    }),
  },
} as const satisfies Record<string, Row>

export const moves = {
  ...ownMoves,
  ...clientMoves,
  ...hostMoves,
  ...operationMoves,
  ...runMoves,
  ...sessionMoves,
  ...chatMoves,
  ...strangerMoves,
  ...budgetMoves,
  ...storeMoves,
  ...faultMoves,
}
export type MoveName = keyof typeof moves
