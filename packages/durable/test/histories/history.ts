// What a history is made of. It is plain JSON: a seed makes it, a failing one shrinks, and one that
// found something stays as a case.
import type { PartType } from '@modelport/agent'
import type { EffectDeclaration } from '@modelport/runtime'
import { type Moment, moments } from './moments.js'
import { randomOf } from './virtual-world.js'

/** How one sending of a call ends; `effect` says whether the receiver did it. */
export const sendings = {
  answers: { effect: true },
  'is slow': { effect: true, ms: 900 },
  refuses: { effect: false },
  'loses the reply': { effect: true, breaks: 'ECONNRESET' },
  'loses the request': { effect: false, breaks: 'ECONNRESET' },
  'reaches nobody': { effect: false, breaks: 'ECONNREFUSED' },
  'answers 500 after the work': { effect: true, isUnclear: true },
  hangs: { effect: true, hangs: true },
  'hangs before the work': { effect: false, hangs: true },
  'arrives late': { effect: true, hangs: true, lateMs: 3500 },
} as const satisfies Record<string, SendingForm>
export interface SendingForm {
  readonly effect: boolean
  readonly ms?: number
  readonly breaks?: 'ECONNRESET' | 'ECONNREFUSED'
  readonly isUnclear?: boolean
  readonly hangs?: boolean
  readonly lateMs?: number
}
export type Sending = keyof typeof sendings

/** The tool that declares it, or that ends so; a new declaration has to have one. */
export const toolOf = {
  nothing: 'pay',
  idempotent: 'keyed',
  readOnly: 'look',
  once: 'once',
  reconcile: 'traced',
  approval: 'signed',
  question: 'book',
  pending: 'print',
} as const satisfies Record<
  'nothing' | keyof EffectDeclaration | 'approval' | 'question' | 'pending',
  string
>
/** All tools; `slowly` prepares for seconds before it pays, and stops when its signal aborts. */
export const toolNames = [...Object.values(toolOf), 'keyedSigned', 'slowly'] as const
/** The tools of an MCP server. */
export const remoteNames = ['remote', 'remoteTask'] as const
export type ToolName = (typeof toolNames)[number] | (typeof remoteNames)[number]

export interface Call {
  readonly tool: ToolName
  /** Names the wish: the receiver has it in its ledger. */
  readonly wish: string
  /** How its sendings end, in order; then it is answered. */
  readonly ends: readonly Sending[]
  /** Done by the other agent, which is asked in words, or whose tool is called. */
  readonly by?: 'bank' | 'tool of bank'
  /** The model asks for it twice in one reply: it wants two. */
  readonly isTwice?: true
}

export interface Job {
  readonly id: string
  /**
   * `explicit` calls tools by parts of the message, `handler` is an agent without a model, `chat`
   * is sent by a page, and `guest` by somebody who may approve nothing.
   */
  readonly kind: 'task' | 'explicit' | 'handler' | 'run' | 'chat' | 'guest'
  readonly steps: readonly (readonly Call[])[]
  readonly session?: string
  /** A part that the message has besides. */
  readonly part?: PartType
}

export interface Move<Name extends string = string> {
  /** Virtual milliseconds since the move before. */
  readonly after: number
  /** It waits, a few seconds at most, until this happens next. */
  readonly when?: Moment
  readonly do: Name
  /** It comes so often, a while apart: a network that flaps, a client in a loop. Default once. */
  readonly again?: { readonly times: number; readonly everyMs: number }
  /** What the move chooses by. */
  readonly n: number
  readonly job?: Job
}

/** How likely things go wrong by themselves, each time that they can, until everything is back. */
export interface Weather {
  readonly exchanges: number
  readonly sendings: number
  /** Changes of rows: they are slow, stall, lose their replies or end their process. */
  readonly writes: number
  /** A process dies or freezes at a moment. */
  readonly moments: number
  /** News of a change do not reach another process: it has to look. */
  readonly news: number
}

export interface History<Name extends string = string> {
  readonly seed: number
  /** A message of a session leaves tasks that wait. Default: it cancels them. */
  readonly keepsWaiting?: boolean
  /** The model gives the calls of each reply the same ids again. */
  readonly repeatsIds?: boolean
  /** Unset: nothing goes wrong but what moves and calls say. */
  readonly weather?: Weather
  readonly moves: readonly Move<Name>[]
}

const pick = <Value>(values: readonly Value[], random: () => number): Value =>
  values[Math.floor(random() * values.length)]!

export const namesOf = <Row extends object>(rows: Row): readonly (keyof Row)[] =>
  Object.keys(rows) as (keyof Row)[]

/** A handler has two ways to pay, and nobody answers the questions of a guest. */
const usableBy: Readonly<Partial<Record<Job['kind'], readonly ToolName[]>>> = {
  handler: ['pay', 'keyed'],
  guest: toolNames.filter((name) => name !== 'book'),
}

/**
 * What a history is about. Each has a few moves, tools and ends only, which then meet each other
 * often; all of them together meet hardly ever.
 */
interface Theme<Name extends string> {
  readonly weights: ReadonlyMap<Name, number>
  readonly kinds: readonly Job['kind'][]
  readonly tools: readonly ToolName[]
  readonly ends: readonly Sending[]
  /** How many moves wait for a moment or come several times, and how many calls are delegated. */
  readonly momentShare: number
  readonly againShare: number
  readonly delegatedShare: number
  readonly sessionShare: number
  readonly sessions: readonly string[]
  readonly twiceShare: number
}

const kinds = ['task', 'task', 'task', 'explicit', 'handler', 'run'] as const

const weatherOf = (random: () => number): Weather => ({
  exchanges: pick([0, 0, 0.03, 0.15], random),
  sendings: pick([0, 0, 0.2], random),
  writes: pick([0, 0, 0.01, 0.04], random),
  moments: pick([0, 0, 0.01, 0.03], random),
  news: pick([0, 0, 0, 0.3, 1], random),
})

function themeOf<Name extends string>(
  moves: Readonly<Record<Name, Drawn>>,
  random: () => number,
): Theme<Name> {
  const some = <Value>(values: readonly Value[], count: number): readonly Value[] =>
    Array.from({ length: count }, () => pick(values, random))
  const names = namesOf(moves)
  const isWide = random() < 0.15
  const factors = isWide ? [1] : [0, 0, 0, 1, 1, 5]
  const weights = new Map(
    names.map((name, index) => {
      // The first move brings jobs, and somebody decides in each history.
      const least = index === 0 || name === 'decide' ? 1 : 0
      return [name, moves[name].weight * Math.max(least, pick(factors, random))]
    }),
  )
  return {
    weights,
    kinds: some(kinds, isWide ? 6 : 2),
    tools: isWide ? toolNames : some(toolNames, 3),
    ends: isWide ? namesOf(sendings) : some(namesOf(sendings), 3),
    momentShare: pick([0.1, 0.4, 0.8], random),
    againShare: pick([0, 0.1, 0.3], random),
    delegatedShare: pick([0, 0.2, 0.8], random),
    sessionShare: pick([0.3, 0.7, 1], random),
    sessions: pick([['s1'], ['s1', 's2']], random),
    twiceShare: pick([0, 0, 0.3], random),
  }
}

function callOf(wish: string, kind: Job['kind'], theme: Theme<string>, random: () => number): Call {
  const count = random() < 0.55 ? 0 : random() < 0.7 ? 1 : 2
  const ends = Array.from({ length: count }, () => pick(theme.ends, random))
  const all = usableBy[kind] ?? toolNames
  const own = all.filter((name) => theme.tools.includes(name))
  const usable = own.length > 0 ? own : all
  const isRemote = ['task', 'chat', 'run'].includes(kind) && random() < 0.12
  const mayDelegate = kind === 'task' || kind === 'chat' || kind === 'guest'
  const by =
    mayDelegate && random() < theme.delegatedShare
      ? pick(['bank', 'tool of bank'] as const, random)
      : undefined
  if (isRemote) return { tool: pick(remoteNames, random), wish, ends }
  const isTwice = !by && kind !== 'explicit' && kind !== 'handler' && random() < theme.twiceShare
  const tool = pick(usable, random)
  return { tool, wish, ends, ...(by && { by }), ...(isTwice && { isTwice }) }
}

/** Parts that a message may have besides its job; a new type has to have a row. */
const besides = {
  text: true,
  json: true,
  infer: true,
  error: false,
  status: false,
  route: true,
  decision: true,
  request: true,
  bytes: true,
  file: true,
  image: true,
  uri: true,
  other: true,
  tool_call: false,
  tool_output: true,
  infer_output: true,
} as const satisfies Record<PartType, boolean>
export const partsBesides = namesOf(besides).filter((type) => besides[type])

/** The sessions of those who do not speak to the desk themselves. */
const sessionsOf = { chat: ['c1', 'c2'], guest: ['g1'] } as const

function jobOf(id: string, theme: Theme<string>, random: () => number, of?: 'chat' | 'guest'): Job {
  const kind = of ?? pick(theme.kinds, random)
  const stepCount = kind === 'explicit' ? 1 : 1 + Math.floor(random() * 2.4)
  let wishes = 0
  const steps = Array.from({ length: stepCount }, () =>
    Array.from({ length: 1 + Math.floor(random() * 2.5) }, () =>
      callOf(`${id}.${++wishes}`, kind, theme, random),
    ),
  )
  const hasSession = of === 'chat' || (kind !== 'run' && random() < theme.sessionShare)
  return {
    id,
    kind,
    steps,
    ...(hasSession && { session: pick(of ? sessionsOf[of] : theme.sessions, random) }),
    ...(random() < 0.15 && kind === 'task' && { part: pick(partsBesides, random) }),
  }
}

/** A move, how often it is drawn, and whether it brings a job. */
export interface Drawn {
  readonly weight: number
  readonly hasJob?: boolean | 'chat' | 'guest'
}

/** Milliseconds between two moves, of which the second is about the same thing or another one. */
const atOnce = [0, 0, 1, 2, 4, 8, 20]
const apart = [0, 5, 15, 30, 60, 100, 400, 1500, 4000]
const between = [1, 5, 20, 300, 1000, 2500]

/** The history of a seed. */
export function historyOf<Name extends string>(
  seed: number,
  moves: Readonly<Record<Name, Drawn>>,
): History<Name> {
  const random = randomOf(seed ^ 0x5bd1e995)
  const names = namesOf(moves)
  const theme = themeOf(moves, random)
  const weightOf = (name: Name): number => theme.weights.get(name) ?? 0
  const total = names.reduce((sum, name) => sum + weightOf(name), 0)
  const draw = (): Name => {
    let rest = random() * total
    return names.find((name) => (rest -= weightOf(name)) < 0) ?? names[0]!
  }
  const length = 3 + Math.floor(random() * 14)
  let jobs = 0
  let last = 0
  return {
    seed,
    ...(seed % 3 === 0 && { keepsWaiting: true }),
    ...(seed % 4 === 0 && { repeatsIds: true }),
    weather: weatherOf(random),
    moves: Array.from({ length }, (_, index) => {
      const name = index === 0 ? names[0]! : draw()
      const { hasJob = false } = moves[name]
      const of = typeof hasJob === 'string' ? hasJob : undefined
      const job = hasJob ? jobOf(`J${++jobs}`, theme, random, of) : undefined
      // What is done about one thing within a few milliseconds meets itself.
      const isAtOnce = index > 0 && random() < 0.3
      const after = pick(isAtOnce ? atOnce : apart, random)
      const isAtMoment = random() < theme.momentShare * (job ? 0.4 : 1)
      const when = isAtMoment ? pick(moments, random) : undefined
      const isAgain = !job && random() < theme.againShare
      const again = isAgain && {
        times: 2 + Math.floor(random() * 3),
        everyMs: pick(between, random),
      }
      const fresh = Math.floor(random() * 1000)
      last = isAtOnce ? last : fresh
      return {
        after,
        do: name,
        n: last,
        ...(when && { when }),
        ...(again && { again }),
        ...(job && { job }),
      }
    }),
  }
}
