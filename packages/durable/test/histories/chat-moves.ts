// The moves of pages with chats: each request that `chatRoutes` answers.
import { RefusedByChat } from './chat-page.js'
import type { Cluster, Sent } from './cluster.js'
import type { Move } from './history.js'
import { promptOf } from './program.js'
import { counted, newSent, type Play, type Row } from './sent.js'

/** The jobs of a chat, and what their page names their messages. */
const inChat = ({ sent }: Cluster, chat: string | undefined): readonly Sent[] =>
  sent.filter(({ job }) => job.kind === 'chat' && job.session === chat)
const messageIds = new WeakMap<Sent, string>()
/**
 * Names no job: an edited message keeps the id of the one that it replaces, whose job may be
 * forgotten.
 */
const messageIdOf = (sent: Sent): string => messageIds.get(sent) ?? `m-${sent.job.id.slice(1)}`

/** Does something on the page of a chat. */
const onPage =
  (what: string, run: (cluster: Cluster, chat: string, move: Move) => Promise<unknown>): Play =>
  (cluster, move) => {
    const chats = cluster.sent.filter(({ job }) => job.kind === 'chat')
    const chat = chats[move.n % Math.max(1, chats.length)]?.job.session
    if (chat === undefined) return false
    cluster.act(`${what} ${chat}`, () => run(cluster, chat, move))
    return true
  }

/** Ends what a chat works on, or will once its messages arrive. */
const endIn = (cluster: Cluster, chat: string): void => {
  cluster.loseCalls()
  for (const sent of inChat(cluster, chat)) sent.mayEnd = true
}

const acceptIn =
  (cluster: Cluster, sent: Sent) =>
  (task: string): void => {
    if (sent.taskId !== undefined && sent.taskId !== task && !sent.mayEnd)
      cluster.internal.push(`${sent.job.id} got the tasks ${sent.taskId} and ${task}`)
    sent.taskId = task
    sent.isAccepted = true
  }

/** Posts a message of a chat: a page that hears nothing posts it again. */
const post: Play = (cluster, { job, n }) => {
  if (!job?.session) return false
  const { session: chat } = job
  const sent = newSent(cluster, job)
  const text = promptOf(job.id, job.steps)
  const body = {
    id: chat,
    trigger: 'submit-message',
    messages: [{ id: messageIdOf(sent), role: 'user', parts: [{ type: 'text', text }] }],
  }
  const most = n % 3 === 0 ? n % 7 : Infinity
  cluster.act(job.id, () =>
    counted(sent, async () => {
      for (let attempt = 0; attempt < 4 && sent.taskId === undefined; attempt++)
        try {
          const response = await cluster.page.post('', body)
          sent.isAccepted = true
          await cluster.page.read(chat, response, { most, onTask: acceptIn(cluster, sent) })
        } catch (error) {
          cluster.note(`${job.id} was not read to its end: ${String(error).slice(0, 120)}`)
          if (error instanceof RefusedByChat && error.isFinal) return
          await cluster.world.pause(1500)
        }
    }),
  )
  return true
}

/** Posts a message in place of an earlier one, once. */
const edit: Play = (cluster, { job, n }) => {
  if (!job?.session) return false
  const { session: chat } = job
  const earlier = inChat(cluster, chat)
  const replaced = earlier[n % Math.max(1, earlier.length)]
  if (!replaced) return post(cluster, { after: 0, do: 'chat: post', n, job })
  for (const sent of earlier.slice(earlier.indexOf(replaced))) sent.mayEnd = true
  cluster.loseCalls()
  const sent = newSent(cluster, job)
  const messageId = messageIdOf(replaced)
  messageIds.set(sent, messageId)
  const text = promptOf(job.id, job.steps)
  cluster.act(job.id, () =>
    counted(sent, async () => {
      const response = await cluster.page.post('', {
        id: chat,
        trigger: 'submit-message',
        messageId,
        messages: [{ id: messageId, role: 'user', parts: [{ type: 'text', text }] }],
      })
      sent.isAccepted = true
      await cluster.page.read(chat, response, { onTask: acceptIn(cluster, sent) })
    }),
  )
  return true
}

/** A client of AG-UI posts a message. */
const postAgUi: Play = (cluster, { job }) => {
  if (!job?.session) return false
  const sent = newSent(cluster, job)
  const content = promptOf(job.id, job.steps)
  cluster.act(job.id, () =>
    counted(sent, async () => {
      const response = await cluster.page.post('/ag-ui', {
        threadId: job.session,
        runId: `r-${job.id}`,
        messages: [{ id: messageIdOf(sent), role: 'user', content }],
        tools: [],
        context: [],
      })
      sent.isAccepted = true
      await response.text()
    }),
  )
  return true
}

/** The requests of a page: see `chatRoutes`. */
export const chatMoves = {
  'chat: post': { weight: 9, hasJob: 'chat', play: post },
  'chat: edit': { weight: 1.5, hasJob: 'chat', play: edit },
  'chat: ag-ui': { weight: 1.5, hasJob: 'chat', play: postAgUi },
  'chat: history': {
    weight: 0.5,
    play: onPage('loads', (cluster, chat) => cluster.page.ask(`/${chat}`)),
  },
  'chat: stream': {
    weight: 2,
    // A page is loaded again, or continues behind an event that it had.
    play: onPage('reads', async (cluster, chat, { n }) => {
      const own = cluster.page.readings.filter((one) => one.chat === chat && one.events.length > 0)
      const reading = n % 2 === 0 ? undefined : own[n % Math.max(1, own.length)]
      const place = reading?.events[n % reading.events.length]?.split(' ')[0]
      const last = reading && `${reading.task}/${place}`
      const response = await cluster.page.stream(chat, last)
      if (response.status === 204) return
      await cluster.page.read(chat, response, {
        isFromStart: last === undefined,
        most: n % 5 === 0 ? 4 : Infinity,
      })
    }),
  },
  'chat: changes': {
    weight: 0.5,
    play: onPage('watches', async (cluster, chat, { n }) => {
      const { body } = await cluster.page.ask(`/${chat}/changes`)
      await cluster.world.pause(n * 4)
      await body?.cancel()
    }),
  },
  'chat: stop': {
    weight: 1,
    play: onPage('stops', async (cluster, chat) => {
      endIn(cluster, chat)
      try {
        await cluster.page.post(`/${chat}/stop`, {})
      } finally {
        endIn(cluster, chat)
      }
    }),
  },
  'chat: decisions': {
    weight: 5,
    play: onPage('decides in', async (cluster, chat, { n }) => {
      const tasks = inChat(cluster, chat).flatMap(({ taskId }) => taskId ?? [])
      for (const task of tasks) if (await cluster.decideInChat(task, n >> 2)) return
    }),
  },
  'chat: delete': {
    weight: 0.3,
    play: onPage('deletes', async (cluster, chat) => {
      endIn(cluster, chat)
      try {
        await cluster.page.ask(`/${chat}`, { method: 'DELETE' })
      } finally {
        endIn(cluster, chat)
        for (const sent of inChat(cluster, chat)) sent.wasForgotten = true
      }
    }),
  },
} as const satisfies Record<`chat: ${string}`, Row>
