import type { NewTaskEvent, TaskRecord } from '@modelport/agent'
import type { Statement } from '../database/database.js'
import { type NewRun, transcriptOf } from '../runs/run-table.js'
import { transition } from '../runs/transitions.js'

/** The run row of a task. */
export const runOfTask = (id: string): string => `task:${id}`

/** The queue of an agent's tasks. */
export const queueOfAgent = (agent: string): string => `task:${agent}`

/** How long other processes leave a task to the one that was given it, in milliseconds. */
export const headStartMs = 1000

/** The first run row of a new task: any version of the agent may begin it. */
export const newRunOf = ({ id, agent }: Pick<TaskRecord, 'id' | 'agent'>): NewRun => ({
  id: runOfTask(id),
  queue: queueOfAgent(agent),
  version: '',
  fingerprint: '',
  // Not before it has the turn of its session.
  due: null,
})

type StatusEvent = Extract<NewTaskEvent, { type: 'status' }>

/** The last change of state among events. */
export function lastStatus(events: readonly NewTaskEvent[]): StatusEvent | undefined {
  return events.findLast((event) => event.type === 'status')
}

/** When a child that asked is looked at for the first time, in milliseconds after it asked. */
const firstLookMs = 1000

/**
 * When a task that waits is to be looked at, in milliseconds since 1970: its first request expires,
 * another agent asks, which may be over by then, or work elsewhere is to be looked at.
 */
export function wakeOf(events: readonly NewTaskEvent[], now: number): number | undefined {
  const { state, message } = lastStatus(events) ?? {}
  if (state !== 'input-required') return undefined
  const times = (message?.parts ?? []).flatMap((part) => {
    if (part.type !== 'request') return []
    const { expiresAt, path } = part.content
    return [
      ...(expiresAt === undefined ? [] : [Date.parse(expiresAt)]),
      ...(path === undefined ? [] : [now + firstLookMs]),
    ]
  })
  times.push(...looksOf(events))
  return times.length === 0 ? undefined : Math.min(...times)
}

/** When work that continues elsewhere is looked at, as the checkpoint of the task says. */
function looksOf(events: readonly NewTaskEvent[]): readonly number[] {
  const found = events.findLast((event) => event.type === 'checkpoint')?.checkpoint
  const { requests = [] } = (found ?? {}) as { readonly requests?: readonly object[] }
  return requests.flatMap((request) =>
    'lookAt' in request && typeof request.lookAt === 'number' ? [request.lookAt] : [],
  )
}

/**
 * The statements that end the run of a task that is over, whose transcript is in the conversation.
 */
export const endRun = (id: string, now: number): readonly Statement[] => [
  transition('end with its task', { id: runOfTask(id), now }),
  dropTranscript(id),
]

/** The statement that lets the run of a task wait for somebody, whoever holds it. */
export const parkRun = (id: string, now: number, expiry: number | undefined): Statement =>
  transition('wait with its task', { id: runOfTask(id), now, wake: expiry ?? null })

/** The statement that drops the transcript of a task's run. */
export const dropTranscript = (id: string): Statement => ({
  sql: 'DELETE FROM entries WHERE log = ?',
  params: [transcriptOf(runOfTask(id))],
})

/**
 * The statement that makes the run of a waiting task ready. It is due once the task has the turn of
 * its session, or at once if that was deleted; the process that got the decision claims it first.
 */
export const wakeRun = (id: string, now: number): Statement =>
  transition('continue with its task', {
    id: runOfTask(id),
    task: id,
    now,
    later: now + headStartMs,
  })
