// The moves of those who may not: somebody else's tasks, decisions that do not fit, results that
// come by a secret, twice or from whoever has no right to deliver them.
import { type AgentHost, createMessage, createPart, requestsOf } from '@modelport/agent'
import { about, inside } from './choose.js'
import {
  type Cluster,
  courier,
  guest,
  principal,
  type Running,
  type Sent,
  stranger,
} from './cluster.js'
import type { Move } from './history.js'
import { promptOf } from './program.js'
import { counted, newSent, type Row } from './sent.js'

/** Does something in a process that serves the desk. */
const atDesk = (
  what: string,
  run: (host: AgentHost, cluster: Cluster, move: Move, one: Running) => Promise<unknown>,
) =>
  inside(what, async (one, cluster, move) => {
    if (one.side === 'desk') await run(one.server.host, cluster, move, one)
  })

/** The tasks of people, and their agents. */
const tasksOf = ({ sent }: Cluster, isGuest: boolean) =>
  sent.flatMap(({ job, taskId }) => {
    const isWanted = isGuest ? job.kind === 'guest' : !['guest', 'chat', 'run'].includes(job.kind)
    return isWanted && taskId !== undefined
      ? [{ id: taskId, job: job.id, agent: job.kind === 'handler' ? 'clerk' : 'desk' }]
      : []
  })

/** What is refused, whoever asks for it in vain. */
async function refused(cluster: Cluster, what: string, work: Promise<unknown>): Promise<void> {
  const wasDone = await work.then(
    () => true,
    () => false,
  )
  if (wasDone) cluster.internal.push(`somebody who may not did this: ${what}`)
}

const decisionOf = (requestId: string, fields: object) =>
  createMessage('user', [createPart.request({ requestId, ...fields })])

/** Sends a message again, whose task is there. */
const sendAgain = (cluster: Cluster, sent: Sent): Promise<unknown> =>
  counted(sent, async () => {
    const { message, job, taskId } = sent
    const { session: sessionId } = job
    const options = { returnImmediately: true, ...(sessionId !== undefined && { sessionId }) }
    const task = await cluster.clientOf(sent).send(message, options)
    if (taskId !== undefined && taskId !== task.id && !sent.wasForgotten)
      cluster.internal.push(`${job.id} got the tasks ${taskId} and ${task.id}`)
  })

export const strangerMoves = {
  'a stranger acts': {
    weight: 2,
    play: atDesk('a stranger', async (host, cluster, { n }) => {
      const all = tasksOf(cluster, false)
      const found = all[n % Math.max(1, all.length)]
      if (!found) return
      const { id, agent, job } = found
      const key = { principal: stranger, id }
      const message = createMessage('user', [createPart.text('It is mine.')])
      const acts = [
        ['get', () => host.get(key)],
        ['cancel', () => host.cancel(key, 'it is mine')],
        ['send', () => host.send({ agent, principal: stranger, taskId: id, message })],
        ['settled', () => host.settled(key, 0)],
        ['deliver', () => host.deliver({ principal, id }, { result: 'paid' }, { by: stranger })],
        ['read', () => host.store.tasks.read(key, 1)],
      ] as const
      const [name, act] = acts[n % acts.length]!
      await refused(cluster, `${name} ${job}`, act())
    }),
  },
  'a guest sends': {
    weight: 6,
    hasJob: 'guest',
    // Under an id that somebody else uses for a message, which is sent again then; and twice.
    play: (cluster, move) => {
      const { job, n } = move
      const one = cluster.running.find((each) => each?.side === 'desk' && !each.process.isDead)
      if (!job || !one) return false
      const others = cluster.sent.filter(
        (each) => !['guest', 'run', 'chat'].includes(each.job.kind),
      )
      const other = others[n % Math.max(1, others.length)]
      const sent = newSent(cluster, job)
      const text = createMessage('user', [createPart.text(promptOf(job.id, job.steps))])
      const message = { ...text, id: n % 2 === 0 && other ? other.message.id : sent.message.id }
      const isTaken = cluster.sent.some(
        (each) => each !== sent && each.job.kind === 'guest' && each.messageId === message.id,
      )
      sent.messageId = isTaken ? sent.message.id : message.id
      const send = async (): Promise<void> => {
        const { task } = await one.server.host.send({
          agent: 'desk',
          principal: guest,
          message: { ...message, id: sent.messageId ?? message.id },
          ...(job.session !== undefined && { sessionId: job.session }),
        })
        if (sent.taskId !== undefined && sent.taskId !== task.id && !sent.wasForgotten)
          cluster.internal.push(`${job.id} got the tasks ${sent.taskId} and ${task.id}`)
        sent.taskId = task.id
        sent.isAccepted = true
        if (other && sent.messageId === other.message.id) await sendAgain(cluster, other)
      }
      cluster.world.as(one.process, () => {
        cluster.act(job.id, () => counted(sent, send))
        if (n % 3 === 0) cluster.act(job.id, () => counted(sent, send))
      })
      return true
    },
  },
  'a guest decides': {
    weight: 2,
    play: atDesk('a guest', async (host, cluster, { n }) => {
      const all = tasksOf(cluster, true)
      const found = all[n % Math.max(1, all.length)]
      if (!found) return
      const { task } = await host.get({ principal: guest, id: found.id })
      // The results of its own work are the guest's to say.
      const requests = requestsOf(task).filter(
        ({ question, requestId }) => !question && !requestId.endsWith('#result'),
      )
      const request = requests[n % Math.max(1, requests.length)]
      if (!request) return
      const { requestId, digest, uncertain } = request
      const says = uncertain ? { outcome: 'did-not-happen' } : { approved: true }
      const message = decisionOf(requestId, { digest, ...says })
      cluster.misfits.add(message.id)
      cluster.note(`a guest says yes to ${requestId}`)
      await host.send({ agent: 'desk', principal: guest, taskId: found.id, message })
    }),
  },
  'decide what does not fit': {
    weight: 3,
    play: about('decides wrongly', async (client, { taskId }, cluster, { n }) => {
      const requests = requestsOf(await client.get(taskId))
      const request = requests[n % Math.max(1, requests.length)]
      if (!request) return
      const { requestId, digest, uncertain, question } = request
      const other = (digest ?? '').replace(/^./, (first) => (first === '0' ? '1' : '0'))
      const misfit = [
        // What was shown was something else.
        uncertain
          ? { outcome: 'did-not-happen', digest: other }
          : { approved: true, digest: other },
        // A yes for what is not known, and the other way around.
        uncertain ? { approved: true, digest } : { outcome: 'happened', result: 'paid', digest },
        uncertain ? { approved: false, digest } : { approved: 'yes', digest },
      ][(n >> 3) % 3]!
      if (question || digest === undefined) return
      const message = decisionOf(requestId, misfit)
      cluster.misfits.add(message.id)
      cluster.note(`somebody decides what does not fit about ${requestId}`)
      await client.send(message, { taskId, returnImmediately: true })
    }),
  },
  'a decision is said again': {
    weight: 4,
    // A page that was left open: what it decides is not asked any more.
    play: (cluster, { n }) => {
      const { decisions } = cluster
      const found = decisions[n % Math.max(1, decisions.length)]
      if (!found) return false
      const { agent, task: taskId, decision } = found
      const { requestId } = decision
      cluster.act('says it again', async () => {
        const isAsked = requestsOf(await agent.get(taskId)).some(
          (one) => one.requestId === requestId,
        )
        if (isAsked) return
        const message = decisionOf(requestId, decision)
        cluster.misfits.add(message.id)
        cluster.note(`somebody says again what was decided of ${requestId}`)
        await agent.send(message, { taskId, returnImmediately: true })
      })
      return true
    },
  },
  'an operator decides what does not fit': {
    weight: 1,
    play: (cluster, { n }) => {
      const { operations } = cluster.operators.desk
      cluster.act('an operator decides wrongly', async () => {
        const items = (await operations.list({ limit: 1000 })).flatMap((item) =>
          item.waitsFor.map((request) => ({ item, request })),
        )
        const found = items[n % Math.max(1, items.length)]
        if (!found || found.request.kind === 'question') return
        const { item, request } = found
        const decision =
          request.kind === 'approval'
            ? ({ type: 'happened', result: 'paid' } as const)
            : ({ type: 'approve' } as const)
        const what = `${decision.type} for what is ${request.kind}`
        await refused(cluster, what, operations.decide(item.id, decision, request.requestId))
      })
      return true
    },
  },
  'a result by its secret': {
    weight: 3,
    // Now and then another one at the same time: one of them is the result.
    play: (cluster, { n }) => {
      const { webhooks } = cluster.receiver
      const hook = webhooks[n % Math.max(1, webhooks.length)]
      if (!hook) return false
      const { wish, url } = hook
      const post = async (result: string): Promise<boolean> => {
        const response = await cluster.network.fetchOf(undefined)(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ result }),
        })
        if (response.ok) cluster.note(`the result of ${wish} came by its secret`)
        return response.ok
      }
      cluster.act('a webhook', async () => {
        if (!cluster.receiver.finish(wish)) return
        const texts = [`paid ${wish}`, ...(n % 3 === 0 ? [`paid ${wish}, once more`] : [])]
        const posted = await Promise.allSettled(texts.map((text) => post(text)))
        const taken = posted.filter((one) => one.status === 'fulfilled' && one.value)
        if (taken.length > 1) cluster.internal.push(`two results of ${wish} were taken`)
      })
      return true
    },
  },
  'a courier delivers': {
    weight: 1,
    play: atDesk('a courier', async (host, cluster, { n }) => {
      const all = tasksOf(cluster, n % 2 === 0)
      const found = all[n % Math.max(1, all.length)]
      if (!found) return
      const owner = n % 2 === 0 ? guest : principal
      const { task } = await host.get({ principal: owner, id: found.id })
      const late = requestsOf(task).find(({ requestId }) => requestId.endsWith('#result'))
      if (!late) return
      const [wish = ''] = cluster.wishesIn(late.action)
      if (!cluster.receiver.finish(wish)) return
      const to = { principal: owner, id: found.id }
      await host.deliver(to, { result: `paid ${wish}` }, { request: late.requestId, by: courier })
    }),
  },
  'an MCP server forgets its tasks': {
    weight: 0.6,
    play: ({ mcp }) => mcp?.forget() ?? false,
  },
  'an MCP server cancels its tasks': {
    weight: 0.4,
    play: ({ mcp }) => mcp?.cancelAll() ?? false,
  },
} as const satisfies Record<string, Row>
