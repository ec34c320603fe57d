// The cluster of a history: two processes on one store, a third with a store of its own to which
// the first two delegate, the receiver, and the people. What people see and say is written down for
// the auditor.
import {
  type AgentClient,
  createMessage,
  createPart,
  type Message,
  type Part,
  type RequestDecision,
  requestsOf,
  systemEntropy,
  type Task,
} from '@modelport/agent'
import type { ChatMessage, JsonObject } from '@modelport/core'
import { mcpTools } from '@modelport/mcp'
import { createAgentClient, createAgentServer } from '@modelport/serve'
import { type Chat, chatRoutes } from '../../src/chat/chat-routes.js'
import type { Database } from '../../src/database/database.js'
import { migrate } from '../../src/database/schema.js'
import type { DurableStore, RunWorker, WorkItem } from '../../src/index.js'
import { createDurableStore } from '../../src/store/durable-store.js'
import type { PaidLine, SaidLine, SeenLine } from './audit.js'
import { ChatPage } from './chat-page.js'
import type { History, Job } from './history.js'
import {
  claimIn,
  createdIn,
  heldRunIn,
  isBusy,
  isNews,
  leftIn,
  type Moment,
  momentOf,
  wrongIn,
} from './moments.js'
import {
  bankAgents,
  chatAgent,
  definitionOf,
  deskAgents,
  jobsIn,
  type ModelFault,
  ownLimit,
  type Program,
  resultsIn,
  wordOf,
} from './program.js'
import { Receiver } from './receiver.js'
import { isDefect, noting } from './seen.js'
import {
  type Connection,
  MemoryRows,
  mayClaim,
  type OnStoring,
  type Rows,
  VirtualDatabase,
} from './virtual-database.js'
import { VirtualMcp } from './virtual-mcp.js'
import { type Served, VirtualNetwork } from './virtual-network.js'
import { epoch, type Process, VirtualWorld } from './virtual-world.js'
import { Storm, type Struck } from './weather.js'

export const principal = 'anonymous'
/** Somebody whose tasks others approve. */
export const guest = 'junior'
/** Somebody who may do nothing with the tasks of others. */
export const stranger = 'mallory'
/** Whoever may deliver results, and has no tasks. */
export const courier = 'courier'
/** Whoever has the chats. */
export const chatOwner = 'ann'
const leaseMs = 2000
export const addresses = { desk: '127.0.0.1:8001', bank: '127.0.0.1:8002' } as const
export type Side = keyof typeof addresses
/** Where the first two processes serve chats. */
export const chatHost = '127.0.0.1:8003'
export const mcpHost = '127.0.0.1:8004'

/** A mistake that is put back: each field wraps a part of the program. */
export interface Mistake {
  database?(database: Database): Database
  store?(store: DurableStore): DurableStore
  /** The store of an operator. */
  operator?(store: DurableStore): DurableStore
  tool?: Program['tool']
  readonly handlerPays?: 'plainly'
  /** The client by which the desk delegates. */
  bank?(client: AgentClient): AgentClient
  /** The client of a person. */
  user?(client: AgentClient): AgentClient
}

/** A running process. */
export interface Running extends Served {
  readonly side: Side
  readonly version: number
  readonly connection: Connection
  readonly store: DurableStore
  readonly server: ReturnType<typeof createAgentServer>
  readonly worker: RunWorker | undefined
  readonly chat: Chat | undefined
}

/** What a person sent. */
export interface Sent {
  readonly job: Job
  readonly message: Message
  taskId?: string
  isAccepted: boolean
  mayEnd: boolean
  /** What its message was is not known any more: sent again, it is a new one. */
  wasForgotten?: boolean
  /** When somebody heard that it is cancelled. */
  cancelledAt?: number
  /** The id under which it was sent, if that is not the one of its message. */
  messageId?: string
  /** Messages that were added to its task, by their ids. */
  readonly replies: string[]
  /** How many of them were sent, also in vain. */
  words?: number
  /** How often its message was sent or is being sent, and how often that is over. */
  sends: { begun: number; over: number }
}

const places: readonly Side[] = ['desk', 'desk', 'bank']
/** How often somebody looks at the rows, in virtual milliseconds. */
const lookMs = 97
/** How long what is due may wait once everything is back, in virtual milliseconds. */
const dueMs = 20_000
/** How many calls of a run, and effects of a handler, were begun. */
const beginnings = `SELECT
  (SELECT COUNT(*) FROM entries WHERE log IN (?, ?) AND kind IN ('intent tool', 'intent agent')) AS begun,
  (SELECT COUNT(*) FROM entries WHERE log = ? AND kind = 'effect' AND body NOT LIKE '%"performed"%' AND body NOT LIKE '%"decided"%') AS effects,
  (SELECT COUNT(*) FROM runs WHERE id IN (?, ?)) AS "isThere"`

export class Cluster {
  readonly world: VirtualWorld
  readonly network: VirtualNetwork
  readonly receiver: Receiver
  readonly storm: Storm
  readonly databases: Readonly<Record<Side, VirtualDatabase>>
  readonly running: (Running | undefined)[] = places.map(() => undefined)
  readonly sent: Sent[] = []
  readonly said: SaidLine[] = []
  readonly reads: { readonly job: string; readonly before: readonly string[] }[] = []
  readonly broken = new Set<string>()
  /** When a model first read that a wish failed. */
  readonly failures = new Map<string, number>()
  readonly internal: string[] = []
  /** Runs that processes claimed, in order. */
  readonly claims: { readonly at: number; readonly run: string; readonly by: string }[] = []
  /** Tasks of the first store, in the order in which they were stored. */
  readonly created: string[] = []
  /** What was wrong in the rows at some moment. */
  readonly wrongRows = new Set<string>()
  readonly #clocksDiffer: boolean
  readonly #happened = new Map<Moment, number>()
  /** Something was stored since somebody looked. */
  #hasNews = true
  readonly errors: string[] = []
  /** Stores of an operator, with a connection of its own. */
  readonly operators: Readonly<Record<Side, DurableStore>>
  readonly operatorConnections: Readonly<Record<Side, Connection>> = {
    desk: { awayUntil: 0 },
    bank: { awayUntil: 0 },
  }
  readonly trace: string[] = []
  /** How tasks that were over looked to people, by their ids. */
  readonly seen: SeenLine[] = []
  /** What people decided, and may say again. */
  readonly decisions: {
    readonly agent: AgentClient
    readonly task: string
    readonly decision: RequestDecision
  }[] = []
  /** Sendings of each run, and of each effect of a handler. */
  readonly #sendings = new Map<string, number>()
  /** What people are doing. */
  acts = 0
  /** Everything is back: nothing more goes wrong. */
  backAt: number | undefined
  /** Until when the model fails, and how. */
  modelAway: { until: number; how: ModelFault } = { until: 0, how: 'network' }
  modelFailures = 0
  /** What people had an operator remove, and how often each was sent until then. */
  readonly forgotten: { readonly sent: Sent; readonly sends: number }[] = []
  readonly page: ChatPage
  /** What an operator allowed, and the calls of the model. */
  readonly paid: PaidLine[] = []
  allowed: { limit: number; added: number } = { limit: ownLimit, added: 0 }
  version = 1
  /** The process to which something happened last. */
  actor: Process | undefined
  /** A process gave its work back. */
  hasDrained = false
  /** Messages of people that decide what they may not, or that does not fit: by their ids. */
  readonly misfits = new Set<string>()
  #started = 0
  /** Set if the history has calls of its tools. */
  readonly mcp: VirtualMcp | undefined
  readonly #mistake: Mistake
  readonly #keepsWaiting: boolean
  readonly #repeatsIds: boolean
  /** Wishes that are asked for twice at once: their calls look alike. */
  readonly #twice: ReadonlySet<string>
  readonly #clients = new Map<string, AgentClient>()

  /** @param rows of the databases, each of which is new */
  constructor(
    history: History,
    mistake: Mistake = {},
    rows: Readonly<Record<Side, Rows>> = { desk: new MemoryRows(), bank: new MemoryRows() },
  ) {
    this.#mistake = mistake
    this.#clocksDiffer = history.moves.some(({ do: name }) => name === 'step a clock')
    this.#keepsWaiting = history.keepsWaiting ?? false
    this.#repeatsIds = history.repeatsIds ?? false
    this.world = new VirtualWorld(history.seed)
    this.network = new VirtualNetwork(this.world, (from, host) => {
      if (from && host === addresses.bank) this.happens('an agent is called', from)
    })
    this.receiver = new Receiver(
      this.world,
      history,
      (process) => this.kill(process),
      (...of) => this.#onSent(...of),
    )
    const calls = history.moves.flatMap(({ job }) => job?.steps.flat() ?? [])
    this.#twice = new Set(calls.flatMap(({ wish, isTwice }) => (isTwice ? [wish] : [])))
    if (calls.some(({ tool }) => tool.startsWith('remote')))
      this.mcp = new VirtualMcp(this.receiver)
    if (this.mcp) this.network.servers.set(mcpHost, [this.mcp])
    this.page = new ChatPage(this.world, chatHost, this.network.fetchOf(undefined))
    const databaseOf = (side: Side): VirtualDatabase =>
      new VirtualDatabase(
        this.world,
        rows[side],
        (process) => this.kill(process),
        (...of) => this.#onStoring(side, ...of),
      )
    this.databases = { desk: databaseOf('desk'), bank: databaseOf('bank') }
    this.storm = new Storm(this.world, history.seed, history.weather)
    this.network.weather = () => this.storm.exchange()
    this.receiver.weather = () => this.storm.sending()
    for (const database of Object.values(this.databases)) {
      database.losesNews = () => this.storm.losesNews()
      database.weather = (owner, connection, statements) => {
        if (!this.storm.write(connection, statements)) return
        this.loseCalls()
        if (connection.dieAt) this.#startAgain(owner)
      }
    }
    const operatorOf = (side: Side): DurableStore => {
      const store = this.#storeOn(
        this.databases[side].connect(undefined, this.operatorConnections[side]),
      )
      return mistake.operator?.(store) ?? store
    }
    this.operators = { desk: operatorOf('desk'), bank: operatorOf('bank') }
  }

  /** What a transaction of a process is looked at for. */
  #onStoring(side: Side, ...[owner, statements]: Parameters<OnStoring>): ReturnType<OnStoring> {
    const before = mayClaim(statements) ? this.#heldIn(side) : new Map<string, number>()
    return (result) => {
      this.#hasNews ||= isNews(statements)
      if (side === 'desk' && result.ok) this.created.push(...createdIn(statements))
      const moment = momentOf(statements, result)
      if (moment) this.happens(moment, owner)
      this.#lookAtHolds(owner, claimIn(statements, result), heldRunIn(statements, result), before)
    }
  }

  /** Runs that somebody holds, and when their leases end. */
  #heldIn(side: Side): ReadonlyMap<string, number> {
    const rows = this.databases[side].rows.look?.(
      `SELECT id, due FROM runs WHERE status = 'running' AND due IS NOT NULL`,
    )
    return new Map((rows ?? []).map(({ id, due }) => [String(id), Number(due) - epoch]))
  }

  /** Nobody takes work before its lease is over, and writes it after another one took it. */
  #lookAtHolds(
    owner: Process | undefined,
    claimed: string | undefined,
    written: string | undefined,
    before: ReadonlyMap<string, number>,
  ): void {
    const by = owner?.name ?? 'an operator'
    if (claimed !== undefined) {
      const endsAt = before.get(claimed) ?? 0
      if (endsAt > this.world.now + 2 && !this.#clocksDiffer)
        this.wrongRows.add(
          `${by} took ${claimed} at ${Math.round(this.world.now)}, held until ${endsAt}`,
        )
      // Room that its last holder took for a call, and did not settle.
      if (this.claims.some(({ run }) => run === claimed)) this.#mayLose(1)
      this.claims.push({ at: this.world.now, run: claimed, by })
      return
    }
    if (!owner || written === undefined) return
    const own = this.claims.filter(({ run }) => run === written)
    const last = own.at(-1)
    if (last && last.by !== by && own.some((one) => one.by === by))
      this.wrongRows.add(`${by} still wrote ${written}, which ${last.by} had taken`)
  }

  /** A call is sent: its process has a lease for it. */
  #onSent(owner: Process | undefined, key: string): void {
    this.happens('a call is sent', owner)
    const [id = ''] = key.split(/\.\d+\/|\//)
    const hold = owner && !this.#clocksDiffer ? this.holdOf(id) : undefined
    if (hold?.status === 'running' && hold.leftMs < -2)
      this.wrongRows.add(`${owner?.name} sent a call of ${id}, whose lease is over`)
    if (owner && owner !== this.mcp?.process) this.#lookAtBeginning(owner, key, id)
  }

  /** A call is sent once its beginning is stored, an effect of a handler as well. */
  #lookAtBeginning(owner: Process, key: string, id: string): void {
    const one = this.running.find((each) => each?.process === owner)
    const rows = one && this.databases[one.side].rows
    const found = rows?.look?.(beginnings, [
      `journal:${id}`,
      `journal:task:${id}`,
      `task:${id}`,
      id,
      `task:${id}`,
    ])
    if (!found) return
    const [{ begun = 0, effects = 0, isThere = 0 } = {}] = found
    if (!isThere) return
    // An effect begins once, however often it is made.
    const isEffect = key.includes('/effect/')
    const name = isEffect ? `effect ${key}` : `run ${id}`
    const count = (this.#sendings.get(name) ?? 0) + 1
    this.#sendings.set(name, count)
    const most = isEffect
      ? [...this.#sendings.keys()].filter((each) => each.startsWith(`effect ${id}`)).length
      : count
    if (most > Number(isEffect ? effects : begun))
      this.wrongRows.add(`${owner.name} sent a call of ${id}, whose beginning is not stored`)
  }

  /** Starts a process again, some time after it died. */
  #startAgain(process: Process): void {
    const place = this.running.findIndex((one) => one?.process === process)
    this.world.schedule(this.storm.restartMs(), undefined, () => void this.start(place))
  }

  #strike({ process, ms }: Struck): void {
    if (!this.running.some((one) => one?.process === process)) return
    this.loseCalls()
    if (ms === undefined) {
      this.#startAgain(process)
      this.world.schedule(this.world.latency(), undefined, () => void this.kill(process))
    } else process.wakesAt = this.world.now + ms
  }

  /** Notes that something happens for which a move may wait. */
  happens(moment: Moment, actor?: Process): void {
    this.actor = actor ?? this.actor
    const struck = actor && this.storm.strike(actor)
    if (struck) this.#strike(struck)
    this.#happened.set(moment, (this.#happened.get(moment) ?? 0) + 1)
  }

  /** The row of a run or a task, as it is now; undefined if it is not in memory. */
  holdOf(id: string): { status: string; epoch: number; leftMs: number } | undefined {
    const sql = `SELECT status, epoch, due FROM runs WHERE id IN (?, ?)`
    const [row] = Object.values(this.databases).flatMap(
      ({ rows }) => rows.look?.(sql, [id, `task:${id}`]) ?? [],
    )
    if (!row) return undefined
    const leftMs = Number(row['due']) - (epoch + this.world.now)
    return { status: String(row['status']), epoch: Number(row['epoch']), leftMs }
  }

  /** What was sent and is over by now. */
  overIn(side: Side): readonly Sent[] {
    const over = `SELECT id FROM tasks WHERE place IS NULL UNION SELECT id FROM runs WHERE status IN ('finished', 'cancelled')`
    const rows = this.databases[side].rows.look?.(over)
    const ids = new Set(rows?.map(({ id }) => id))
    return this.sent.filter(({ taskId }) => rows === undefined || ids.has(taskId ?? null))
  }

  /**
   * Lets the world turn until something happens the next time, or a few seconds are over.
   *
   * @returns whether it happened
   */
  async next(moment: Moment): Promise<boolean> {
    const before = this.#happened.get(moment)
    const until = this.world.now + 3000
    const isThere = (): boolean => this.#happened.get(moment) !== before
    while (!isThere() && this.world.now < until) {
      await this.world.run(Math.min(until, this.world.now + 100), isThere)
      if (!isThere() && this.isStill()) return false
    }
    return isThere()
  }

  /** Nobody works, and nothing is under way that may begin work. */
  isStill(): boolean {
    const rows = Object.values(this.databases).map((one) => one.rows)
    return this.world.late === 0 && !rows.some((one) => isBusy(one))
  }

  /** Looks at the rows now and then, between two events. */
  #look(): void {
    const sides = this.#hasNews ? Object.values(this.databases) : []
    this.#hasNews = false
    for (const { rows } of sides)
      for (const each of [...wrongIn(rows), ...(rows.broken?.() ?? [])]) this.wrongRows.add(each)
    if (this.backAt !== undefined && this.world.now > this.backAt + dueMs)
      for (const { rows } of Object.values(this.databases))
        for (const each of leftIn(rows, epoch + this.world.now - dueMs)) this.wrongRows.add(each)
    this.world.schedule(lookMs, undefined, () => this.#look())
  }

  /** Makes the tables, and starts a process in each place. */
  async open(): Promise<void> {
    const connections = Object.values(this.databases).map((database) =>
      database.connect(undefined, { awayUntil: 0 }),
    )
    await this.until(
      Promise.all(connections.map((database) => migrate(database, 'a store', undefined))),
    )
    for (const { rows } of Object.values(this.databases)) rows.guard?.()
    for (const place of places.keys()) this.start(place)
    this.#look()
  }

  #storeOn(database: Database): DurableStore {
    return createDurableStore(this.#mistake.database?.(database) ?? database, { leaseMs })
  }

  #mcpFor(process: Process) {
    const transport = { url: `http://${mcpHost}/mcp`, fetch: this.network.fetchOf(process) }
    const quick = { connectTimeoutMs: 2000, listTimeoutMs: 2000, timeoutMs: 2000 }
    return mcpTools({ name: 'elsewhere', transport, ...quick })
  }

  #programFor(side: Side, store: DurableStore, process: Process): Program {
    const { tool, handlerPays } = this.#mistake
    const isLimited = side === 'desk'
    return {
      receiver: this.receiver,
      onRead: (messages) => this.#read(messages, isLimited),
      ...(this.#keepsWaiting && { keepsWaiting: true }),
      ...(this.#repeatsIds && { repeatsIds: true }),
      ...(isLimited && { budgets: store.budgets }),
      ...(isLimited && this.mcp && { mcp: this.#mcpFor(process) }),
      ...(tool && { tool }),
      ...(handlerPays && { handlerPays }),
    }
  }

  #read(messages: readonly ChatMessage[], isLimited: boolean): ModelFault | undefined {
    this.happens('a model is asked', this.world.process)
    const fault = this.world.now < this.modelAway.until ? this.modelAway.how : undefined
    if (isLimited)
      this.paid.push({
        at: Math.round(this.world.now),
        what: fault === undefined ? 'call' : 'failed call',
      })
    if (fault !== undefined) {
      this.modelFailures++
      return fault
    }
    for (const { wish, text } of resultsIn(messages))
      if (wordOf(wish, text) === 'failed' && !this.failures.has(wish))
        this.failures.set(wish, this.world.now)
    const jobs = jobsIn(messages)
    const job = jobs.at(-1)
    if (job !== undefined) this.reads.push({ job, before: jobs.slice(0, -1) })
    return undefined
  }

  /** Starts a process in a place, unless one lives there. */
  start(place: number): boolean {
    const side = places[place]
    if (side === undefined || this.isAlive(place)) return false
    const { version } = this
    const process: Process = {
      name: `${side} ${++this.#started}`,
      isDead: false,
      wakesAt: 0,
      clockOffset: 0,
    }
    const connection: Connection = { awayUntil: 0 }
    this.world.as(process, () => {
      const database = this.databases[side].connect(process, connection)
      const plain = this.#storeOn(database)
      const store = this.#mistake.store?.(plain) ?? plain
      const program = this.#programFor(side, store, process)
      const bank = createAgentClient(`http://${addresses.bank}`, {
        fetch: this.network.fetchOf(process),
      })
      const agents =
        side === 'bank'
          ? bankAgents(program, version)
          : deskAgents(program, version, this.#mistake.bank?.(bank) ?? bank)
      const onError = (error: unknown): void => {
        if (isDefect(error)) this.internal.push(`${process.name}: ${String(error)}`)
        this.errors.push(`${process.name}: ${String(error)}`)
      }
      const server = createAgentServer(agents, {
        store,
        onError,
        url: `http://${addresses[side]}`,
      })
      const isDesk = side === 'desk'
      const worker = isDesk
        ? store.runs.work([definitionOf(program, version)], { onError })
        : undefined
      const chat = isDesk
        ? chatRoutes({
            store,
            agent: chatAgent(program, version, this.#mistake.bank?.(bank) ?? bank),
            authorize: () => ({ subject: chatOwner }),
            onError,
          })
        : undefined
      const fetch = (request: Request): Promise<Response> => server.fetch(request)
      this.running[place] = {
        process,
        side,
        version,
        connection,
        store,
        server,
        worker,
        chat,
        fetch,
      }
    })
    this.#publish()
    return true
  }

  isAlive(place: number): boolean {
    const one = this.running[place]
    return one !== undefined && !one.process.isDead
  }

  /** Nothing of the process happens any more. */
  kill(process: Process): boolean {
    if (process.isDead) return false
    process.isDead = true
    this.loseCalls()
    this.network.die(process)
    this.#publish()
    return true
  }

  #publish(): void {
    for (const side of Object.keys(addresses) as Side[])
      this.network.servers.set(
        addresses[side],
        this.running.flatMap((one) => (one?.side === side && !one.process.isDead ? [one] : [])),
      )
    this.network.servers.set(
      chatHost,
      this.running.flatMap((one) =>
        one?.chat && !one.process.isDead ? [{ process: one.process, fetch: one.chat.fetch }] : [],
      ),
    )
  }

  /** Room that is taken for calls of the model may have been taken in vain. */
  loseCalls(): void {
    const { rows, taking } = this.databases.desk
    const held = rows.look?.('SELECT COUNT(*) AS n FROM reservations')
    // A call that is asked for now takes its room in a moment.
    this.#mayLose(held ? Number(held[0]?.['n']) + taking + 1 : this.sent.length)
  }

  #mayLose(most: number): void {
    this.paid.push({ at: Math.round(this.world.now), what: 'may be lost', most })
  }

  /** Lets the world turn until a promise of the world is settled. */
  async until<Result>(promise: Promise<Result>, mostMs = 60_000): Promise<Result> {
    const state = { isSettled: false }
    const settle = (): void => void (state.isSettled = true)
    promise.then(settle, settle)
    await this.world.run(this.world.now + mostMs, () => state.isSettled)
    if (!state.isSettled) throw new Error('the world stands still')
    return promise
  }

  /** What a person does, in the background. Its failure is noted. */
  act(what: string, work: () => Promise<unknown>): void {
    this.acts++
    const over = (): void => void this.acts--
    void work().then(over, (error: unknown) => {
      over()
      if (isDefect(error)) this.internal.push(`${what}: ${String(error)}`)
      this.trace.push(`${Math.round(this.world.now)} ${what}: ${String(error).slice(0, 160)}`)
    })
  }

  /** An operator changes what may be spent: it holds from some moment of the work on. */
  async allow(
    what: 'limit' | 'nothing spent',
    change: Partial<Cluster['allowed']>,
    work: () => Promise<unknown>,
  ): Promise<void> {
    const note = (): void => {
      const { limit, added } = this.allowed
      this.paid.push({ at: Math.round(this.world.now), what, most: limit + added })
    }
    const before = { ...this.allowed }
    Object.assign(this.allowed, change)
    note()
    try {
      await work()
    } catch (error) {
      // Only what this change did: another one may have been made meanwhile.
      for (const name of ['limit', 'added'] as const)
        if (change[name] === this.allowed[name]) this.allowed[name] = before[name]
      throw error
    } finally {
      note()
    }
  }

  note(what: string): void {
    this.trace.push(`${Math.round(this.world.now)} ${what}`)
  }

  client(agent: 'desk' | 'clerk' | 'bank'): AgentClient {
    const known = this.#clients.get(agent)
    if (known) return known
    const side = agent === 'bank' ? 'bank' : 'desk'
    const client = createAgentClient(
      `http://${addresses[side]}${side === 'bank' ? '' : `/a/${agent}`}`,
      {
        fetch: this.network.fetchOf(undefined),
      },
    )
    const own = noting(this.#mistake.user?.(client) ?? client, (line) =>
      this.seen.push({ ...line, at: this.world.now }),
    )
    this.#clients.set(agent, own)
    return own
  }

  /** The client of the agent that has a task. */
  clientOf({ job }: Pick<Sent, 'job'>): AgentClient {
    return this.client(job.kind === 'handler' ? 'clerk' : 'desk')
  }

  /** The message of a job. */
  messageOf(job: Job, text: string, part: Part | undefined): Message {
    const explicit = job.steps
      .flat()
      .map(({ tool, wish }) => createPart.toolCall(tool, { wish }, wish))
    const parts = job.kind === 'explicit' ? explicit : [createPart.text(text)]
    return createMessage('user', [...parts, ...(part ? [part] : [])])
  }

  /** The wishes that an action is about. */
  readonly wishesIn = (action: unknown): readonly string[] => [
    ...new Set(JSON.stringify(action ?? null).match(/J\d+\.\d+/g) ?? []),
  ]

  /** What people say of a request, as the receiver knows it now. */
  decisionOn(
    kind: 'approval' | 'uncertain' | 'question' | 'work',
    wishes: readonly string[],
    n: number,
  ): Pick<SaidLine, 'says'> & { readonly fields: JsonObject } {
    const [wish = ''] = wishes
    if (kind === 'approval')
      return n % 5 === 0
        ? { says: 'deny', fields: { approved: false, reason: 'denied' } }
        : { says: 'approve', fields: { approved: true } }
    if (kind === 'question')
      return { says: 'answer', fields: { approved: true, content: { sure: true } } }
    if (kind === 'work') {
      if (!this.receiver.finish(wish)) return { says: 'unknown', fields: { outcome: 'unknown' } }
      return { says: 'happened', fields: { outcome: 'happened', result: `paid ${wish}` } }
    }
    // If two calls look alike, nobody can say which one happened.
    if (n % 7 === 0 || this.#twice.has(wish))
      return { says: 'unknown', fields: { outcome: 'unknown' } }
    return this.receiver.wasPaid(wish)
      ? { says: 'happened', fields: { outcome: 'happened', result: `paid ${wish}` } }
      : { says: 'did-not-happen', fields: { outcome: 'did-not-happen' } }
  }

  /** The owner of a chat decides a request of one of its replies, on its page. */
  async decideInChat(id: string, n: number): Promise<boolean> {
    const { tasks } = this.operators.desk
    const found = await tasks.load({ principal: chatOwner, id })
    if (!found) return false
    const { task } = found
    return this.#decide(task, n, ([decision]) =>
      this.page.post(`/${task.sessionId}/decisions`, decision),
    )
  }

  /** The owner of a task decides one of its requests. @returns whether there was one */
  decideAsUser(client: AgentClient, task: Task, n: number): Promise<boolean> {
    return this.#decide(task, n, async (decisions) => {
      await client.decide(task, decisions)
      for (const decision of decisions)
        this.decisions.push({ agent: client, task: task.id, decision })
    })
  }

  async #decide(
    task: Task,
    n: number,
    send: (decisions: readonly RequestDecision[]) => Promise<unknown>,
  ): Promise<boolean> {
    const requests = requestsOf(task)
    const request = requests[n % Math.max(1, requests.length)]
    if (!request) return false
    const isLate = (request.reason ?? '').includes('continues elsewhere')
    const kind = isLate
      ? 'work'
      : request.uncertain
        ? 'uncertain'
        : request.question
          ? 'question'
          : 'approval'
    const wishes = this.wishesIn(request.action ?? request.question)
    const { says, fields } = this.decisionOn(kind, wishes, n)
    const { requestId, digest } = request
    const line = {
      owner: task.id,
      request: requestId,
      wishes,
      says,
      at: Math.round(this.world.now),
    }
    await this.#note(line, () =>
      send([{ ...fields, requestId, ...(digest !== undefined && { digest }) }]),
    )
    return true
  }

  /** An operator decides one request of a store, or all requests of one task. */
  async decideAsOperator(side: Side, n: number, all = false): Promise<boolean> {
    const { operations } = this.operators[side]
    const items = (await operations.list({ limit: 1000 })).flatMap((item) =>
      item.waitsFor.map((request) => ({ item, request })),
    )
    const chosen = items[n % Math.max(1, items.length)]
    if (!chosen) return false
    await this.#decideItem(side, chosen, n)
    if (all)
      for (const other of items)
        if (other.item.id === chosen.item.id && other !== chosen)
          await this.#decideItem(side, other, n)
    return true
  }

  async #decideItem(
    side: Side,
    { item, request }: { readonly item: WorkItem; readonly request: WorkItem['waitsFor'][number] },
    n: number,
  ): Promise<boolean> {
    const { operations } = this.operators[side]
    if (request.kind === 'question') return item.kind === 'run' && this.#answerRun(item.id)
    const wishes = this.wishesIn(request.action)
    const { says } = this.decisionOn(request.kind, wishes, n)
    const [wish = ''] = wishes
    const line = {
      owner: item.id,
      request: request.requestId,
      wishes,
      says,
      at: Math.round(this.world.now),
    }
    const decision = {
      approve: { type: 'approve' },
      deny: { type: 'deny', reason: 'denied' },
      happened: { type: 'happened', result: `paid ${wish}` },
      'did-not-happen': { type: 'did-not-happen' },
      unknown: { type: 'give-up' },
      answer: { type: 'approve' },
    } as const
    await this.#note(line, () => operations.decide(item.id, decision[says], request.requestId))
    return true
  }

  /** Whoever wrote the program of a run answers the questions of its tools. */
  async #answerRun(id: string): Promise<boolean> {
    const { runs } = this.operators.desk
    const result = await runs.result(id)
    const pending = result.status === 'suspended' ? result.pending : []
    for (const item of pending)
      if (item.type === 'question')
        await runs.decide(id, {
          type: 'answer',
          id: item.id,
          digest: item.digest,
          action: 'accept',
          content: { sure: true },
        })
    return true
  }

  async #note(line: Omit<SaidLine, 'was'>, send: () => Promise<unknown>): Promise<void> {
    this.happens('somebody decides')
    this.note(`somebody says ${line.says} of ${line.wishes.join()} (${line.request})`)
    // Until somebody answers, nobody knows.
    const place = this.said.push({ ...line, was: 'lost' }) - 1
    const settle = (was: SaidLine['was']): void => void (this.said[place] = { ...line, was })
    try {
      await send()
      settle('accepted')
    } catch (error) {
      const isAnswered = /conflict|invalid|not wait|unsupported|not-found|finished/i.test(
        `${String(error)} ${String((error as { reason?: unknown }).reason)}`,
      )
      if (isAnswered) settle('refused')
      throw error
    }
  }

  async close(): Promise<void> {
    for (const database of Object.values(this.databases)) await database.close()
  }
}

/** Ids that were made before the world are used up, so that the next ones come from its seed. */
export const useUpIds = (): unknown => systemEntropy.random(new Uint8Array(4096))
