// Plays a history to its end, brings everything back, and collects what the auditor reads.
import { answerOf, type StoredTask, type Task } from '@modelport/agent'
import { type ChatMessage, textOf } from '@modelport/core'
import type { AuditedSession, AuditedTask, Evidence, SaidLine } from './audit.js'
import { audit } from './audit.js'
import { Cluster, type Mistake, principal, useUpIds } from './cluster.js'
import type { History, Job } from './history.js'
import { type MoveName, moves } from './moves.js'
import { jobsIn, wordOf } from './program.js'

export interface Verdict {
  readonly wrong: readonly string[]
  /** How often each move, each exchange and each sending was in force. */
  readonly met: ReadonlyMap<string, number>
  /** Moves that were in force, in order. */
  readonly inForce: readonly MoveName[]
  readonly trace: readonly string[]
  readonly evidence: Evidence | undefined
  readonly events: number
  readonly virtualMs: number
}

const roundMs = 2500
const mostRounds = 60

export async function play(history: History<MoveName>, mistake: Mistake = {}): Promise<Verdict> {
  const cluster = new Cluster(history, mistake)
  const { world } = cluster
  const restore = world.install()
  const inForce: MoveName[] = []
  let wrong: readonly string[]
  let evidence: Evidence | undefined
  const onRejection = (error: unknown): void =>
    void cluster.internal.push(`nobody caught: ${String(error).slice(0, 200)}`)
  process.on('unhandledRejection', onRejection)
  try {
    useUpIds()
    await cluster.open()
    for (const move of history.moves) {
      await world.run(world.now + move.after)
      if (await moves[move.do].play(cluster, move)) inForce.push(move.do)
    }
    await bringBack(cluster)
    evidence = await evidenceOf(cluster)
    wrong = audit(evidence)
  } catch (error) {
    wrong = [`X: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`]
  } finally {
    process.off('unhandledRejection', onRejection)
    restore()
    for (const one of cluster.running) if (one) cluster.kill(one.process)
    cluster.close()
  }
  const met = new Map<string, number>()
  for (const name of inForce) met.set(name, (met.get(name) ?? 0) + 1)
  for (const [name, count] of cluster.network.met) met.set(`exchange: ${name}`, count)
  for (const [name, count] of cluster.receiver.met) met.set(`sending: ${name}`, count)
  for (const { says } of cluster.said) met.set(`said: ${says}`, (met.get(`said: ${says}`) ?? 0) + 1)
  return {
    wrong,
    met,
    inForce,
    trace: [...cluster.trace, ...cluster.errors],
    evidence,
    events: world.events,
    virtualMs: Math.round(world.now),
  }
}

/** Everything works again, the newest version runs everywhere, and people decide what waits. */
async function bringBack(cluster: Cluster): Promise<void> {
  const { world, network, receiver } = cluster
  cluster.note('everything is back')
  network.faults.clear()
  network.awayUntil.clear()
  receiver.awayUntil = 0
  cluster.modelAway = { ...cluster.modelAway, until: 0 }
  for (const one of cluster.running) {
    if (!one) continue
    one.connection.awayUntil = 0
    one.connection.dieAt = undefined
    if (one.version !== cluster.version) cluster.kill(one.process)
  }
  for (const place of cluster.running.keys()) cluster.start(place)
  for (let round = 0; round < mostRounds; round++) {
    await world.run(world.now + roundMs)
    if (!(await cluster.until(decideAll(cluster, round)))) {
      // A user may still try, and a process that was cut may still write.
      await world.run(world.now + 8000)
      if (!(await cluster.until(decideAll(cluster, round)))) return
    }
  }
}

/** @returns whether anything is not over */
async function decideAll(cluster: Cluster, round: number): Promise<boolean> {
  let isOpen = false
  for (const side of ['desk', 'bank'] as const) {
    const { operations } = cluster.operators[side]
    for (const item of await operations.list({ limit: 1000 })) {
      isOpen ||= side === 'desk' || round < 6
      if (item.state === 'stopped' || item.unservedSince !== undefined)
        await operations.resume(item.id).catch(() => undefined)
      // The bank is asked through the desk first.
      if (item.waitsFor.length === 0 || (side === 'bank' && round < 6)) continue
      for (const { requestId, kind } of item.waitsFor)
        if (wasDecided(cluster, item.id, requestId, kind))
          cluster.internal.push(`${item.id} asks for ${requestId} again`)
      const { kind, name, principal: owner = principal, id } = item
      if (kind === 'run' || owner !== principal) {
        await decideRun(cluster, side, round)
        continue
      }
      const client = cluster.client(side === 'bank' ? 'bank' : name === 'clerk' ? 'clerk' : 'desk')
      await client
        .get(id)
        .then((task) => cluster.decideAsUser(client, task, round + 1))
        .catch((error: unknown) => cluster.note(`${id}: ${String(error)}`))
    }
  }
  return isOpen
}

/** What a person says about each kind of request. */
const kinds: Readonly<Record<SaidLine['says'], readonly string[]>> = {
  approve: ['approval'],
  deny: ['approval'],
  answer: ['question'],
  happened: ['uncertain', 'work'],
  'did-not-happen': ['uncertain', 'work'],
  unknown: ['uncertain', 'work'],
}

/**
 * A decision was accepted, and was not used for longer than a takeover takes. The requests of one
 * call of a run, such as an approval and its unknown outcome, have one id.
 */
const wasDecided = (
  { said, world }: Cluster,
  id: string,
  requestId: string,
  kind: string,
): boolean =>
  said.some(
    ({ owner, request, was, at, says }) =>
      owner === id &&
      request === requestId &&
      kinds[says].includes(kind) &&
      was === 'accepted' &&
      world.now - at > 6000,
  )

const decideRun = (cluster: Cluster, side: 'desk' | 'bank', round: number): Promise<unknown> =>
  cluster
    .decideAsOperator(side, round + 1)
    .catch((error: unknown) => cluster.note(`an operator: ${String(error)}`))

async function evidenceOf(cluster: Cluster): Promise<Evidence> {
  const { sent, said, paid, reads, receiver, broken, internal } = cluster
  const { tasks: store, operations, runs, sessions } = cluster.operators.desk
  const items = await cluster.until(operations.list({ all: true, limit: 1000 }))
  const tasks: AuditedTask[] = []
  for (const { id, kind, state, waitsFor } of items) {
    const waits = waitsFor.map(({ requestId }) => requestId)
    if (kind === 'run') {
      const { result } = await cluster.until(runs.get(id))
      const { status, text } = (result ?? {}) as {
        readonly status?: string
        readonly text?: string
      }
      const whole = state === 'finished' ? await cluster.until(runs.result(id)) : undefined
      const transcript = whole?.transcript ?? []
      const end = state === 'finished' ? String(status) : state
      const why = new Map([
        ['failed', 'the model call failed'],
        ['budget', 'the budget of people'],
      ]).get(end)
      tasks.push({
        job: id,
        id,
        hasWaited: false,
        state: why === undefined ? end : 'failed',
        answer: why === undefined ? (text ?? '') : `${why}: ${wordsIn(transcript)}`,
        waitsFor: waits,
      })
      continue
    }
    const found = await cluster.until(store.load({ principal, id }))
    const events = await cluster.until(store.read({ principal, id }, 1))
    const hasWaited = events.some(
      (event) => event.type === 'status' && event.state === 'input-required',
    )
    if (found)
      tasks.push(
        auditedTask(
          found,
          sent.map(({ job }) => job),
          waits,
          hasWaited,
        ),
      )
  }
  const names = [
    ...new Set(
      sent.flatMap(({ job }) => (job.kind === 'task' && job.session ? [job.session] : [])),
    ),
  ]
  const audited: AuditedSession[] = []
  for (const id of names) {
    const key = { principal, agent: 'desk', id }
    const entries = await cluster.until(sessions.read(key, 1))
    audited.push({
      id,
      isWhole: !broken.has(id),
      messages: entries
        .flatMap(({ messages }) => messages)
        .map((message) => ({
          role: message.role,
          ...(message.role === 'user' && nameOf(jobsIn([message]))),
          calls:
            message.role === 'assistant'
              ? (message.toolCalls ?? []).map(({ id: call }) => call)
              : [],
          ...(message.role === 'tool' && { result: message.toolCallId }),
        })),
    })
  }
  return {
    ledger: receiver.ledger,
    said,
    paid,
    tasks,
    reads,
    internal,
    sessions: audited,
    jobs: sent.map(({ job, isAccepted, mayEnd, wasForgotten = false }, index) => ({
      id: job.id,
      ...(job.kind === 'task' && job.session !== undefined && { session: job.session }),
      wishes: job.steps
        .flat()
        .map(({ wish, tool }) => ({ id: wish, tool, reads: tool === 'look' })),
      isAccepted,
      mayEnd,
      isNewAgain: wasForgotten,
      endsAtFailure: job.kind === 'explicit',
      mayLackModel: cluster.modelFailures > 0,
      mayLackMoney: paid.some(({ what }) => what === 'limit'),
      mayBeSuperseded:
        job.session !== undefined &&
        sent.some((other, place) => place !== index && other.job.session === job.session),
    })),
  }
}

const nameOf = ([job]: readonly string[]): { readonly job?: string } =>
  job === undefined ? {} : { job }

function auditedTask(
  { task }: StoredTask,
  jobs: readonly Job[],
  waitsFor: readonly string[],
  hasWaited: boolean,
): AuditedTask {
  const text = JSON.stringify(task.messages.find(({ role }) => role === 'user')?.parts ?? [])
  const wish = /J\d+/.exec(text)?.[0]
  const job = jobs.find(({ id }) => id === wish)
  return {
    job: job?.id ?? 'unknown',
    id: task.id,
    state: task.state,
    answer: job?.kind === 'explicit' ? explicitAnswer(task, job) : wordsOf(answerOf(task)),
    waitsFor,
    hasWaited,
  }
}

/** What the results in a transcript say of their wishes. */
const wordsIn = (transcript: readonly ChatMessage[]): string =>
  transcript
    .flatMap((message) => {
      if (message.role !== 'tool') return []
      const text = textOf(message.content)
      const [wish] = /J\d+\.\d+/.exec(`${message.toolCallId} ${text}`) ?? []
      return wish === undefined ? [] : [`${wish}=${wordOf(wish, text)}`]
    })
    .join(' ')

/** The answer, with a word for each call that a failure says was made. */
const wordsOf = (answer: string): string =>
  answer.replaceAll(
    /(J\d+\.\d+)[^;(]*\((done|the agent answered|whether it happened is not known)\)/g,
    (_, wish: string, what: string) => `${wish}=${what === 'done' ? 'paid' : 'unknown'}`,
  )

/** What the outputs of explicit calls say of each wish. */
function explicitAnswer(task: Task, { steps }: Job): string {
  if (task.state === 'cancelled') return ''
  const outputs = [
    ...task.artifacts.flatMap(({ parts }) => parts),
    ...task.messages.flatMap(({ parts }) => parts),
  ]
  return steps
    .flat()
    .flatMap(({ wish }) => {
      const output = outputs.findLast(
        (part) => part.type === 'tool_output' && part.content.callId === wish,
      )
      if (output?.type !== 'tool_output') return []
      const { result, error } = output.content
      return [`${wish}=${wordOf(wish, JSON.stringify(result ?? error ?? ''))}`]
    })
    .join(' ')
}

/** The moves of a history, one a line, for people. */
export const readable = ({ seed, moves: all }: History): string =>
  [
    `seed ${seed}`,
    ...all.map(({ after, do: name, n, job }) => {
      const calls = (job?.steps ?? []).map((step) =>
        step
          .map(
            ({ tool, wish, ends, by }) =>
              `${tool} ${wish}${by ? ` by ${by}` : ''} (${ends.join(', ') || 'answers'})`,
          )
          .join(' and '),
      )
      const what = job
        ? `: ${job.kind} ${job.id}${job.session ? ` in ${job.session}` : ''}: ${calls.join('; then ')}${job.part ? `, and a part ${job.part}` : ''}`
        : ''
      return `  +${after} ms  ${name} [${n}]${what}`
    }),
  ].join('\n')

/** The smallest history that goes wrong in the same way. */
export async function shrink(
  history: History<MoveName>,
  mistake: Mistake = {},
  most = 400,
): Promise<History<MoveName>> {
  const letters = async (candidate: History<MoveName>): Promise<string> =>
    (await play(candidate, mistake)).wrong.map(([letter]) => letter).join('')
  const [letter = ''] = await letters(history)
  let best = history
  let tries = 0
  const take = async (candidate: History<MoveName>): Promise<boolean> => {
    if (++tries > most || !(await letters(candidate)).includes(letter)) return false
    best = candidate
    return true
  }
  for (let isSmaller = true; isSmaller && tries < most; ) {
    isSmaller = false
    for (const candidate of smaller(best))
      if (await take(candidate)) {
        isSmaller = true
        break
      }
  }
  return best
}

function* smaller({ seed, moves: all }: History<MoveName>): Generator<History<MoveName>> {
  for (const size of [8, 4, 2, 1])
    for (let at = 0; at + size <= all.length; at += size)
      yield { seed, moves: all.filter((_, index) => index < at || index >= at + size) }
  for (const [index, move] of all.entries()) {
    const { job, after } = move
    const replaced = (other: typeof move): History<MoveName> => ({
      seed,
      moves: all.map((each, place) => (place === index ? other : each)),
    })
    if (after > 0) yield replaced({ ...move, after: 0 })
    if (!job) continue
    const { steps, part: _, ...rest } = job
    if (job.part !== undefined) yield replaced({ ...move, job: { ...rest, steps } })
    for (const [at, step] of steps.entries()) {
      if (steps.length > 1)
        yield replaced({
          ...move,
          job: { ...job, steps: steps.filter((__, place) => place !== at) },
        })
      for (const call of step) {
        const others = (with_: readonly (typeof call)[]) =>
          replaced({
            ...move,
            job: { ...job, steps: steps.map((each, place) => (place === at ? with_ : each)) },
          })
        if (step.length > 1) yield others(step.filter((each) => each !== call))
        if (call.ends.length > 0)
          yield others(
            step.map((each) => (each === call ? { ...call, ends: call.ends.slice(1) } : each)),
          )
      }
    }
  }
}
