// Plays a history to its end, brings everything back, and collects what the auditor reads.
import { answerOf, type StoredTask, type Task } from '@modelport/agent'
import type { ChatMessage } from '@modelport/core'
import type { AuditedSession, AuditedTask, Evidence, PaidLine, SaidLine } from './audit.js'
import { audit } from './audit.js'
import { Cluster, type Mistake, mcpHost, principal, type Side, useUpIds } from './cluster.js'
import type { History, Job, Move } from './history.js'
import { type MoveName, moves } from './moves.js'
import { jobsIn, payer, resultsIn, wordOf } from './program.js'
import type { Connection, Rows } from './virtual-database.js'
import { epoch } from './virtual-world.js'

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

/** How long people wait until they look again, and how long everything may take to its end. */
const roundMs = 2500
const mostMs = 150_000
/** How often people decide while things still go wrong. */
const stormRounds = 3
const stormMs = 1500
/** How often somebody tries what is refused once everything is back. */
const wrongRounds = 3
/** How long the world turns at the end: until nothing is under way, in steps. */
const leastMs = 500
const lastMs = 8000
const stepMs = 100
/** When somebody decides at the other agent itself, and when for a caller that was cancelled. */
const bankMs = 15_000
const orphanMs = 40_000

/** @param rows of the databases; default: SQLite in memory */
export async function play(
  history: History<MoveName>,
  mistake: Mistake = {},
  rows?: Readonly<Record<Side, Rows>>,
): Promise<Verdict> {
  const cluster = new Cluster(history, mistake, rows)
  const { world } = cluster
  const restore = world.install()
  const inForce: MoveName[] = []
  const met = new Map<string, number>()
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
      if (move.when && (await cluster.next(move.when))) met.set(`moment: ${move.when}`, 1)
      if (await moves[move.do].play(cluster, move)) inForce.push(move.do)
      playAgain(cluster, move)
    }
    await decideInStorm(cluster)
    await bringBack(cluster)
    // Calls of a task that was forgotten may have been under way: their agents are asked again.
    if (cluster.forgotten.length > 0) await world.run(world.now + 90_000)
    evidence = await evidenceOf(cluster, history)
    wrong = audit(evidence)
  } catch (error) {
    wrong = [`X: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`]
  } finally {
    process.off('unhandledRejection', onRejection)
    restore()
    for (const one of cluster.running) if (one) cluster.kill(one.process)
    await cluster.close()
  }
  for (const name of inForce) met.set(name, (met.get(name) ?? 0) + 1)
  for (const [name, count] of cluster.network.met) met.set(`exchange: ${name}`, count)
  for (const [name, count] of cluster.receiver.met) met.set(`sending: ${name}`, count)
  const count = (name: string): unknown => met.set(name, (met.get(name) ?? 0) + 1)
  for (const { says } of cluster.said) count(`said: ${says}`)
  for (const { state } of evidence?.tasks ?? []) count(`outcome: ${state}`)
  for (const { what } of evidence?.paid ?? [])
    if (what === 'refused') count('outcome: refused by a limit')
  for (const _ of evidence?.forgotten ?? []) count('outcome: forgotten')
  const calls = history.moves.flatMap(({ job }) => job?.steps.flat() ?? [])
  for (const { wish, by } of calls)
    if (by && evidence?.ledger.some((line) => line.wish === wish && line.effect))
      count('outcome: delegated')
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

/** A move comes again, a while apart, until everything is back. */
function playAgain(cluster: Cluster, move: Move<MoveName>): void {
  const { times, everyMs } = move.again ?? { times: 1, everyMs: 0 }
  for (let count = 1; count < times; count++)
    cluster.world.schedule(everyMs * count, undefined, () => {
      if (cluster.backAt === undefined) void moves[move.do].play(cluster, move)
    })
}

/** What those do who may not, who do not know what is asked, or who say something else. */
const wrongMoves = [
  'a stranger acts',
  'a guest decides',
  'decide what does not fit',
  'a decision is said again',
  'an operator decides what does not fit',
  'reply',
] as const satisfies readonly MoveName[]

function tryWrongly(cluster: Cluster, round: number): void {
  for (const [index, name] of wrongMoves.entries()) {
    const n = Math.floor(cluster.world.now + round * 131 + index * 37) % 1000
    void moves[name].play(cluster, { after: 0, do: name, n })
  }
}

/** People decide while things still go wrong, a few times. */
async function decideInStorm(cluster: Cluster): Promise<void> {
  if (!cluster.storm.isStrong) return
  for (let round = 0; round < stormRounds; round++) {
    // Whom nobody answers waits for long, and the others decide meanwhile.
    tryWrongly(cluster, round)
    const late = cluster.world.pause(stormMs).then(() => true)
    const deciding = decideAll(cluster, round).catch(() => true)
    if (!(await cluster.until(Promise.race([deciding, late])))) return
    await whileBusy(cluster, true)
  }
}

/** Everything works again, the newest version runs everywhere, and people decide what waits. */
async function bringBack(cluster: Cluster): Promise<void> {
  const { world, network, receiver } = cluster
  cluster.note('everything is back')
  cluster.backAt = world.now
  cluster.storm.isOver = true
  network.faults.clear()
  network.awayUntil.clear()
  receiver.awayUntil = 0
  cluster.modelAway = { ...cluster.modelAway, until: 0 }
  for (const connection of Object.values(cluster.operatorConnections)) mend(connection)
  for (const one of cluster.running) {
    if (!one) continue
    mend(one.connection)
    one.process.diesIn = undefined
    if (one.version !== cluster.version) cluster.kill(one.process)
  }
  for (const place of cluster.running.keys()) cluster.start(place)
  for (let round = 0; world.now < cluster.backAt + mostMs; round++) {
    const before = cluster.said.length
    if (round < wrongRounds) tryWrongly(cluster, round)
    if (await cluster.until(decideAll(cluster, round))) {
      await whileBusy(cluster, cluster.said.length > before)
      continue
    }
    // A user may still try, and a process that was cut may still write.
    for (let waited = 0; waited < lastMs; waited += stepMs) {
      if (waited >= leastMs && cluster.acts === 0 && cluster.isStill()) break
      await world.run(world.now + stepMs)
    }
    if (!(await cluster.until(decideAll(cluster, round)))) return
  }
}

/** Lets the others work: as long as they do, or longer if nobody could decide anything. */
async function whileBusy(cluster: Cluster, hasDecided: boolean): Promise<void> {
  const { world } = cluster
  for (let waited = 0; waited < roundMs; waited += stepMs) {
    if (hasDecided && waited >= leastMs && cluster.isStill()) return
    await world.run(world.now + stepMs)
  }
}

/** Nothing happens to a connection any more. */
function mend(connection: Connection): void {
  connection.awayUntil = 0
  connection.slow = connection.slowReadMs = connection.losesReply = undefined
  connection.stallMs = connection.stallsBehind = connection.stallsUntil = undefined
  connection.dieAt = undefined
}

/** @returns whether anything is not over */
async function decideAll(cluster: Cluster, round: number): Promise<boolean> {
  let isOpen = false
  const cancelled = orphansOf(cluster)
  const sinceMs = cluster.backAt === undefined ? 0 : cluster.world.now - cluster.backAt
  // Now and then all requests of a task at once, as several people would.
  const most = round % 2 === 0 ? 1 : 4
  for (const side of ['desk', 'bank'] as const) {
    const { operations } = cluster.operators[side]
    for (const item of await operations.list({ limit: 1000 })) {
      const ownMs = side === 'desk' ? Infinity : cancelled.has(item.id) ? orphanMs : bankMs
      const isEarly = sinceMs < ownMs
      isOpen ||= isEarly
      if (item.state === 'stopped' || item.unservedSince !== undefined)
        await operations.resume(item.id).catch(() => undefined)
      // The bank is asked through the desk first, and a task whose caller is over is cancelled.
      if (item.waitsFor.length === 0 || (side === 'bank' && isEarly)) continue
      for (const { requestId, kind } of item.waitsFor)
        if (cluster.backAt !== undefined && wasDecided(cluster, item.id, requestId, kind))
          cluster.internal.push(`${item.id} asks for ${requestId} again`)
      const { kind, name, principal: owner = principal, id } = item
      if (name === 'chat') {
        await cluster
          .decideInChat(id, round + 1)
          .catch((error: unknown) => cluster.note(`${id}: ${String(error)}`))
        continue
      }
      if (kind === 'run' || owner !== principal) {
        await decideRun(cluster, side, round, most)
        continue
      }
      const client = cluster.client(side === 'bank' ? 'bank' : name === 'clerk' ? 'clerk' : 'desk')
      await client
        .get(id)
        .then((task) =>
          Promise.all(
            Array.from({ length: most }, (_, index) =>
              cluster.decideAsUser(client, task, round + 1 + index),
            ),
          ),
        )
        .catch((error: unknown) => cluster.note(`${id}: ${String(error)}`))
    }
  }
  return isOpen
}

/** Tasks of the second store whose callers were cancelled. */
function orphansOf({ databases, sent }: Cluster): ReadonlySet<string> {
  const over = databases.desk.rows.look?.(`SELECT id FROM tasks WHERE state = 'cancelled'`) ?? []
  const ids = new Set(over.map(({ id }) => id))
  const jobs = sent.flatMap(({ job, taskId }) => (ids.has(taskId ?? null) ? [job.id] : []))
  return new Set(
    childrenIn(databases.bank.rows).flatMap(({ id, job }) => (jobs.includes(job) ? [id] : [])),
  )
}

/** The tasks of the second store, with the jobs that they are a part of. */
function childrenIn(rows: Rows): Evidence['children'] {
  const found = rows.look?.(
    `SELECT t.id, t.state, t.at, (SELECT body FROM entries e WHERE e.log = 'task:' || t.id AND e.kind = 'message' ORDER BY e.seq LIMIT 1) AS body FROM tasks t`,
  )
  return (found ?? []).map(({ id, state, at, body }) => {
    const wish = /J\d+\.\d+/.exec(String(body))?.[0] ?? ''
    return {
      id: String(id),
      state: String(state),
      since: Number(at) - epoch,
      wish,
      job: wish.split('.')[0] ?? '',
    }
  })
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
  { said, world, backAt }: Cluster,
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
      world.now - Math.max(at, backAt ?? 0) > 6000,
  )

const decideRun = (
  cluster: Cluster,
  side: 'desk' | 'bank',
  round: number,
  most: number,
): Promise<unknown> =>
  Promise.all(
    Array.from({ length: most }, (_, index) => cluster.decideAsOperator(side, round + 1 + index)),
  ).catch((error: unknown) => cluster.note(`an operator: ${String(error)}`))

/** Moves after which a process works on without hearing anything. */
const deafening: readonly MoveName[] = [
  'freeze',
  'slow write',
  'connection stalls',
  'database away',
  'die at a write',
]

async function evidenceOf(
  cluster: Cluster,
  { keepsWaiting = false, moves: played }: History<MoveName>,
): Promise<Evidence> {
  const isDeaf =
    cluster.storm.isDeafening || played.some(({ do: name }) => deafening.includes(name))
  const { sent, said, reads, receiver, broken, internal } = cluster
  const paid: PaidLine[] = [...cluster.paid]
  const shown = await textsOfChats(cluster)
  const { tasks: store, operations, runs, sessions } = cluster.operators.desk
  const items = await cluster.until(operations.list({ all: true, limit: 1000 }))
  const tasks: AuditedTask[] = []
  for (const { id, kind, state, waitsFor, principal: owner = principal } of items) {
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
      const error = whole?.status === 'failed' ? String(whole.error) : ''
      const why = new Map([
        ['failed', error.includes('MCP server') ? 'tools are missing' : 'the model call failed'],
        ['budget', 'the budget of people'],
      ]).get(end)
      tasks.push({
        job: id,
        id,
        hasWaited: false,
        messages: [],
        words: [],
        state: why === undefined ? end : 'failed',
        answer: why === undefined ? (text ?? '') : `${why}: ${wordsIn(transcript)}`,
        waitsFor: waits,
      })
      continue
    }
    const found = await cluster.until(store.load({ principal: owner, id }))
    const events = await cluster.until(store.read({ principal: owner, id }, 1))
    const hasWaited = events.some(
      (event) => event.type === 'status' && event.state === 'input-required',
    )
    if (!found) continue
    const jobs = sent.map(({ job }) => job)
    const audited = {
      ...auditedTask(found, jobs, waits, hasWaited),
      since: worldTimeOf(found.head.statusAt),
    }
    const isChat = found.head.record.agent === 'chat' && audited.state === 'completed'
    tasks.push(isChat ? { ...audited, answer: shown.get(id) ?? audited.answer } : audited)
    if (audited.state === 'failed' && audited.answer.includes('the budget of'))
      paid.push({ at: worldTimeOf(found.head.statusAt), what: 'refused' })
  }
  paid.sort((one, other) => one.at - other.at)
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
    readings: await readingsOf(cluster),
    forgotten: cluster.forgotten.flatMap(({ sent: { job, sends }, sends: before }) =>
      sends.begun === before ? [job.id] : [],
    ),
    named: await namedIn(cluster),
    ledger: receiver.ledger,
    prepared: receiver.prepared,
    seen: cluster.seen,
    children: childrenIn(cluster.databases.bank.rows),
    failures: [...cluster.failures].map(([wish, at]) => ({ wish, at })),
    backAt: cluster.backAt ?? 0,
    // Whoever hears nothing looks at its next heartbeat.
    stopMs: cluster.storm.isQuiet ? 1500 : 100,
    created: cluster.created,
    claims: cluster.claims,
    clocksDiffer: played.some(({ do: name }) => name === 'step a clock'),
    wrongRows: [...cluster.wrongRows],
    misfits: [...cluster.misfits],
    budget: await budgetOf(cluster),
    said,
    paid,
    tasks,
    reads,
    internal,
    sessions: audited,
    jobs: sent.map(
      ({ job, isAccepted, mayEnd, cancelledAt, replies, wasForgotten, words = 0 }, index) => ({
        replies,
        words,
        // A process that gets no news of a cancel may send for a while.
        ...(cancelledAt !== undefined && !isDeaf && { cancelledAt }),
        id: job.id,
        ...(job.kind === 'task' && job.session !== undefined && { session: job.session }),
        wishes: job.steps.flat().map(({ wish, tool, isTwice = false }) => ({
          id: wish,
          tool,
          reads: tool === 'look',
          count: isTwice ? 2 : 1,
        })),
        isAccepted,
        mayEnd,
        isNewAgain: wasForgotten ?? false,
        endsAtFailure: job.kind === 'explicit',
        mayLackModel: cluster.modelFailures > 0,
        // A server that fails is asked three times.
        mayLackTools: (cluster.network.failures.get(mcpHost) ?? 0) >= 3,
        mayLackMoney: paid.some(({ what }) => what === 'limit'),
        mayBeSuperseded:
          !keepsWaiting &&
          job.session !== undefined &&
          sent.some((other, place) => place !== index && other.job.session === job.session),
      }),
    ),
  }
}

/** What the calls of the model have taken in the end. */
async function budgetOf(cluster: Cluster): Promise<Evidence['budget']> {
  const [state] = await cluster.until(cluster.operators.desk.budgets.list(payer))
  return state && { spent: state.used.calls, held: state.reserved.calls }
}

/** What pages show of finished replies, by the task. */
async function textsOfChats(cluster: Cluster): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const chat of chatsOf(cluster)) {
    const load = async (): Promise<readonly UiMessage[]> => {
      const response = await cluster.page.ask(`/${chat}`)
      return ((await response.json()) as { readonly messages: readonly UiMessage[] }).messages
    }
    const messages = await cluster.until(load().catch(() => []))
    for (const { id, role, parts } of messages)
      if (role === 'assistant') texts.set(id, parts.map(({ text = '' }) => text).join('\n'))
  }
  return texts
}

interface UiMessage {
  readonly id: string
  readonly role: string
  readonly parts: readonly { readonly text?: string }[]
}

const chatsOf = ({ sent }: Cluster): readonly string[] => [
  ...new Set(sent.flatMap(({ job }) => (job.kind === 'chat' && job.session ? [job.session] : []))),
]

/** What pages read, and the whole replies. */
async function readingsOf(cluster: Cluster): Promise<Evidence['readings']> {
  const { page } = cluster
  const wholes = new Map<string, readonly string[]>()
  const found: Evidence['readings'][number][] = []
  for (const { chat, task, isFromStart, events } of [...page.readings]) {
    if (task === undefined) continue
    const whole = wholes.get(task) ?? (await cluster.until(wholeReply(cluster, chat, task)))
    wholes.set(task, whole)
    // What a reply asks for is shown where it waits, or where it continues once somebody decided.
    const last = events.at(-1)?.split('.')[0]
    const judged = events.filter((event) => !event.startsWith(`${last}.`))
    if (whole.length > 0) found.push({ task, isFromStart, events: judged, whole })
  }
  return found
}

/** A reply from its first event on; empty if the page does not show it any more. */
async function wholeReply({ page }: Cluster, chat: string, task: string): Promise<string[]> {
  const response = await page.stream(chat, `${task}/-1.0`).catch(() => undefined)
  if (response?.status !== 200) return []
  const before = page.readings.length
  await page.read(chat, response)
  const [reading] = page.readings.splice(before)
  return reading?.task === task ? reading.events : []
}

/** The jobs that rows of the databases name. */
async function namedIn({ databases }: Cluster): Promise<Evidence['named']> {
  const found = new Map<string, Evidence['named'][number]>()
  for (const database of Object.values(databases))
    for (const row of (await database.text()).split('\n')) {
      const [table = ''] = row.split(' ')
      for (const job of row.match(/\bJ\d+\b/g) ?? []) found.set(`${table} ${job}`, { job, table })
    }
  return [...found.values()]
}

const worldTimeOf = (at: string): number => Date.parse(at) - epoch

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
    answer: job?.kind === 'explicit' ? explicitAnswer(task, job) : wordsOf(told(task)),
    waitsFor,
    hasWaited,
    messages: task.messages.map(({ id }) => id),
    words: task.messages.flatMap((message) => {
      const text = textOfMessage(message)
      return /^(?:Continue|I begin) J/.test(text) ? [text] : []
    }),
  }
}

/** The answer; a task that failed more than once said before what it had done. */
const told = (task: Task): string =>
  task.state === 'failed'
    ? [
        ...task.messages.filter(({ role }) => role === 'agent').map(textOfMessage),
        answerOf(task),
      ].join('\n')
    : answerOf(task)
const textOfMessage = ({ parts }: Task['messages'][number]): string =>
  parts.map((part) => (part.type === 'text' ? part.content : '')).join(' ')

/** What the results in a transcript say of their wishes. */
const wordsIn = (transcript: readonly ChatMessage[]): string =>
  resultsIn(transcript)
    .map(({ wish, text }) => `${wish}=${wordOf(wish, text)}`)
    .join(' ')

/** The answer, with a word for each call that a failure says was made. */
const wordsOf = (answer: string): string =>
  answer.replaceAll(
    /(J\d+\.\d+)[^;(\n]*\((done|the agent answered|whether it happened is not known)\)/g,
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
    ...all.map(({ after, when, do: name, n, again, job }) => {
      const calls = (job?.steps ?? []).map((step) =>
        step
          .map(
            ({ tool, wish, ends, by, isTwice }) =>
              `${tool} ${wish}${isTwice ? ' twice' : ''}${by ? ` by ${by}` : ''} (${ends.join(', ') || 'answers'})`,
          )
          .join(' and '),
      )
      const what = job
        ? `: ${job.kind} ${job.id}${job.session ? ` in ${job.session}` : ''}: ${calls.join('; then ')}${job.part ? `, and a part ${job.part}` : ''}`
        : ''
      return `  +${after} ms${when ? `, when ${when},` : ''}  ${name} [${n}]${again ? `, ${again.times} times, every ${again.everyMs} ms` : ''}${what}`
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

function* smaller({ moves: all, ...rest }: History<MoveName>): Generator<History<MoveName>> {
  const { weather } = rest
  if (weather)
    for (const kind of ['exchanges', 'sendings', 'writes', 'moments', 'news'] as const)
      if (weather[kind] > 0) yield { ...rest, weather: { ...weather, [kind]: 0 }, moves: all }
  for (const size of [8, 4, 2, 1])
    for (let at = 0; at + size <= all.length; at += size)
      yield { ...rest, moves: all.filter((_, index) => index < at || index >= at + size) }
  for (const [index, move] of all.entries()) {
    const { again: __, ...once } = move
    const { job, after, when, ...same } = move
    const replaced = (other: typeof move): History<MoveName> => ({
      ...rest,
      moves: all.map((each, place) => (place === index ? other : each)),
    })
    if (move.again) yield replaced(once)
    if (after > 0) yield replaced({ ...move, after: 0 })
    if (when) yield replaced({ ...same, after, ...(job && { job }) })
    if (!job) continue
    const { part: _, ...plain } = job
    const { steps } = job
    if (job.part !== undefined) yield replaced({ ...move, job: plain })
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
