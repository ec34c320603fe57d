// What moves are made of, and what people send.
import type { Part } from '@modelport/agent'
import type { Cluster, Sent } from './cluster.js'
import type { Drawn, Job, Move } from './history.js'
import { promptOf } from './program.js'

/** Plays a move. @returns whether it was in force, at once or later */
export type Play = (cluster: Cluster, move: Move) => boolean | Promise<boolean>
export interface Row extends Drawn {
  readonly play: Play
}

const partOf = (job: Job): Part | undefined => {
  if (job.part === undefined) return undefined
  const content: Readonly<Record<string, unknown>> = {
    text: 'and thank you',
    infer: { prompt: 'and thank you' },
    route: { routeKey: 'a' },
    decision: { routeKey: 'a' },
    request: { requestId: 'nobody asked', approved: true },
    tool_output: { callId: 'nobody called', result: 'x' },
    bytes: 'AAAA',
    uri: 'https://example.com/a',
  }
  const value = content[job.part] ?? { a: 1 }
  const other = job.part === 'other' ? { wireType: 'x/y' } : {}
  return { type: job.part, content: value, ...other } as unknown as Part
}

/** Notes that a person has a job. */
export function newSent(cluster: Cluster, job: Job): Sent {
  const sent: Sent = {
    job,
    message: cluster.messageOf(job, promptOf(job.id, job.steps), partOf(job)),
    isAccepted: false,
    mayEnd: false,
    replies: [],
    sends: { begun: 0, over: 0 },
  }
  cluster.sent.push(sent)
  return sent
}

/** Counts a sending that begins, and its end. */
export async function counted(sent: Sent, work: () => Promise<unknown>): Promise<void> {
  sent.sends.begun++
  try {
    await work()
  } finally {
    sent.sends.over++
  }
}
