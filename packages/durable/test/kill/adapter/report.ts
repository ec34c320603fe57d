// What is stored of a job of modelport, in the words of the killing test.
import type { TaskKey } from '@modelport/agent'
import { type ChatMessage, textOf } from '@modelport/core'
import type { DurableStore, WaitingCall } from '../../../src/index.js'
import type { Question, Report, StoredEvent } from '../subject.js'

const nothing = { events: [], roles: [], results: [] }

/** The report of a task that no agent accepted. */
export const missing: Report = { state: 'missing', text: 'it was never accepted', ...nothing }

/** What a waiting call asks; nothing if it waits for other work. */
export function questionOf(
  job: string,
  { requestId, kind, action, reason }: WaitingCall,
): Question | undefined {
  if (kind === 'work' || requestId.endsWith(':')) return undefined
  const key = /idempotency key ([^)]+)\)/.exec(reason ?? '')?.[1]
  const { tool } = action as { readonly tool?: string }
  return {
    job,
    id: requestId,
    kind,
    call: tool ?? 'file',
    ...(key !== undefined && { key }),
  }
}

export async function reportOfRun(store: DurableStore, id: string): Promise<Report> {
  const { status } = await store.runs.get(id)
  if (status !== 'finished')
    return { state: status === 'stopped' ? 'stopped' : 'open', text: status, ...nothing }
  const events: StoredEvent[] = []
  for await (const event of store.runs.events(id))
    events.push({ seq: event.seq, ...describe(event) })
  const result = await store.runs.result(id)
  return {
    state: result.status === 'final' ? 'done' : 'failed',
    text: result.status === 'failed' ? String(result.error) : result.text,
    events,
    ...readTranscript(result.transcript),
  }
}

export async function reportOfTask(store: DurableStore, key: TaskKey): Promise<Report> {
  const found = await store.tasks.load(key)
  if (!found) return missing
  const { task } = found
  const events = (await store.tasks.read(key, 1)).map((event): StoredEvent => {
    if (event.type !== 'run') return { seq: event.seq, type: event.type }
    const { own, ...rest } = describe(event.event)
    return { seq: event.seq, own: { seq: own?.seq ?? 0, attempt: event.attempt }, ...rest }
  })
  const said = await store.sessions.read(
    { principal: key.principal, agent: 'worker', id: task.sessionId },
    1,
  )
  const answer = task.artifacts
    .find(({ kind }) => kind === 'answer')
    ?.parts.find(({ type }) => type === 'text')
  return {
    state: task.state === 'completed' ? 'done' : task.state === 'failed' ? 'failed' : 'open',
    text:
      task.state === 'completed'
        ? textOf((answer?.content ?? '') as string)
        : JSON.stringify(task.metadata['error'] ?? task.state),
    events,
    ...readTranscript(said.flatMap((entry) => (entry.type === 'messages' ? entry.messages : []))),
  }
}

function describe(event: object): Omit<StoredEvent, 'seq'> {
  const { type, seq, actionId } = event as Readonly<Record<string, unknown>>
  return {
    type: String(type),
    own: { seq: Number(seq), attempt: 1 },
    ...(typeof actionId === 'string' && { call: actionId }),
  }
}

function readTranscript(transcript: readonly ChatMessage[]): Pick<Report, 'roles' | 'results'> {
  const names = new Map(
    transcript.flatMap((message) =>
      message.role === 'assistant'
        ? (message.toolCalls ?? []).map(({ id, name }) => [id, name] as const)
        : [],
    ),
  )
  // The scripted model has a call's name in its id; a call of the message itself has not.
  const nameOf = (id: string): string =>
    (id.startsWith('call_') ? names.get(id) : id.split('-')[0]) ?? ''
  return {
    roles: transcript.map(({ role }) => role).filter((role) => role !== 'system'),
    results: transcript.flatMap((message) =>
      message.role === 'tool'
        ? [{ call: nameOf(message.toolCallId), text: textOf(message.content) }]
        : [],
    ),
  }
}
