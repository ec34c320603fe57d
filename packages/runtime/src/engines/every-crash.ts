import type { Effect, Engine, Performed } from '../journal/engine.js'
import type { PendingItem, ResumeDecision } from '../journal/pending-item.js'
import type { RunResult } from '../loop/result/run-result.js'
import { OutcomeUnknown } from '../tools/outcome-unknown.js'
import type { Tool } from '../tools/tool.js'

/** One run, and the world that it acts on; made anew for each crash. */
export interface CrashWorld {
  /** The tools of the run. */
  readonly tools: readonly Tool[]
  /** What the receivers of its calls have seen so far, an entry for each effect. */
  effects(): readonly string[]
  /**
   * Runs. Called again after a crash, as a new process would. The model's replies have to depend on
   * the conversation alone.
   */
  run(process: { readonly engine: Engine; readonly tools: readonly Tool[] }): Promise<RunResult>
}

/** Where the process ends, or what happens to the call. */
export type CrashPlace = 'before' | 'begun' | 'happened' | 'recorded' | 'reply-lost'

/** What came of all crashes. */
export interface CrashReport {
  /** How many crashes and lost replies there were. */
  readonly crashes: number
  /** Those after which a person was asked whether a call had happened. */
  readonly asked: readonly { readonly call: string; readonly place: CrashPlace }[]
}

/** A crash after which the world was not what it should be. */
interface Crash {
  readonly at: number
  readonly place: CrashPlace
}

const places: readonly CrashPlace[] = ['before', 'begun', 'happened', 'recorded']

const inWords: Readonly<Record<CrashPlace, string>> = {
  before: 'the process ended before it',
  begun: 'the process ended when it was begun',
  happened: 'the process ended after it happened, before that was recorded',
  recorded: 'the process ended after it was recorded',
  'reply-lost': 'its reply was lost, and the process lived on',
}

/**
 * Runs a run of yours once as it is, then once for each of its effects and each place where its
 * process can end, and once for each call whose reply is lost. A person answers what happened.
 * Everything is in memory: thousands of crashes take seconds.
 *
 * @throws {Error} names each crash after which an effect was made twice, got lost, or the run ended
 * otherwise, and what to declare.
 */
export async function everyCrash(setUp: () => CrashWorld): Promise<CrashReport> {
  const whole = await crash(setUp(), undefined)
  if (!whole.effects.length)
    throw new Error('everyCrash: the run performed nothing; give it `durable: { runId, engine }`')
  const asked: { call: string; place: CrashPlace }[] = []
  const wrong: string[] = []
  let crashes = 0
  for (const [at, { label, kind, step }] of whole.effects.entries()) {
    const all: readonly CrashPlace[] = kind === 'tool' ? [...places, 'reply-lost'] : places
    for (const place of all) {
      const world = setUp()
      const ended = await crash(world, { at, place })
      crashes++
      asked.push(...ended.asked.map((call) => ({ call, place })))
      const problem = compare(whole, ended, world.tools.find(isNamed(label)))
      if (problem) wrong.push(`step ${step}, ${label}: ${inWords[place]}: ${problem}`)
    }
  }
  if (wrong.length)
    throw new Error(`everyCrash: ${wrong.length} of ${crashes} crashes\n${wrong.join('\n')}`)
  return { crashes, asked }
}

const isNamed =
  (name: string) =>
  ({ definition }: Tool): boolean =>
    definition.name === name

/** How a run ended, with and without a crash. */
interface Ended {
  readonly status: string
  readonly text: string
  readonly seen: readonly string[]
  readonly asked: readonly string[]
  readonly effects: readonly {
    readonly label: string
    readonly kind: string
    readonly step: number
  }[]
}

/** What is wrong after a crash, and what to do about it; undefined if nothing is. */
function compare(
  whole: Ended,
  { status, text, seen }: Ended,
  tool: Tool | undefined,
): string | undefined {
  if (seen.length > whole.seen.length)
    return `${seen.length} effects in place of ${whole.seen.length} (${seen.join(', ')}). ${adviceFor(tool)}`
  if (seen.length < whole.seen.length)
    return `${seen.length} effects in place of ${whole.seen.length}. Does the tool act before it returns?`
  if (status !== whole.status || text !== whole.text)
    return `it ended as ${status} ${JSON.stringify(text)}, not ${whole.status} ${JSON.stringify(whole.text)}. Do the model's replies depend on the conversation alone?`
  return undefined
}

function adviceFor(tool: Tool | undefined): string {
  if (tool?.readOnly) return 'It declares readOnly, and has an effect: remove readOnly.'
  if (tool?.idempotent)
    return 'It declares idempotent, and its receiver acted twice: have the receiver keep keys, or remove idempotent.'
  if (tool?.reconcile)
    return 'Its reconcile says not-executed of a call that was executed: say unknown where it cannot know.'
  return 'Its receiver acts more than once in a call, or something around the run acts again.'
}

/** What the processes of one crash share: the disk of the engine. */
class Disk {
  readonly records: { key: string; begunBy: number; value?: string }[] = []
  readonly waits: string[] = []
  readonly effects: { label: string; kind: string; step: number }[] = []
  readonly asked: string[] = []
  /** What calls gave that happened, by key. */
  readonly happened = new Map<string, unknown>()
}

class ProcessEnded extends Error {}

/** Runs until the crash, and from then on as a new process does. */
async function crash(world: CrashWorld, at: Crash | undefined): Promise<Ended> {
  const disk = new Disk()
  for (let process = 1; ; process++) {
    const one = new CrashProcess(disk, process, process === 1 ? at : undefined)
    try {
      const result = await world.run({ engine: one.engine, tools: world.tools.map(one.watch) })
      if (!one.isDead) {
        const { status, text } = result
        return {
          status,
          text,
          seen: [...world.effects()],
          asked: disk.asked,
          effects: disk.effects,
        }
      }
    } catch (error) {
      if (!one.isDead) throw error
    }
    if (process > 2) throw new Error('everyCrash: the run does not end after a crash')
  }
}

/** One process on an engine in memory, which knows an effect by its place. */
class CrashProcess {
  readonly #disk: Disk
  readonly #process: number
  readonly #crash: Crash | undefined
  #place = 0
  #waits = 0
  /** The effect that is performed now. */
  #now = -1
  isDead = false

  constructor(disk: Disk, process: number, at: Crash | undefined) {
    this.#disk = disk
    this.#process = process
    this.#crash = at
  }

  get engine(): Engine {
    return {
      perform: (effect) => this.#perform(effect),
      wait: ({ pending }) => Promise.resolve(this.#wait(pending)),
    }
  }

  /** The tool, whose reply is lost where the crash says so. */
  readonly watch = (tool: Tool): Tool => ({
    ...tool,
    execute: async (value, context) => {
      // eslint-disable-next-line no-restricted-syntax -- the tool that it stands for
      const result = await tool.execute(value, context)
      const { idempotencyKey } = context.run
      const isFirst = !this.#disk.happened.has(idempotencyKey)
      this.#disk.happened.set(idempotencyKey, result)
      if (isFirst && this.#crash?.place === 'reply-lost' && this.#crash.at === this.#now)
        throw new OutcomeUnknown('the reply was lost')
      return result
    },
  })

  async #perform(effect: Effect): Promise<Performed> {
    const at = this.#place++
    const { records, effects } = this.#disk
    const known = records[at]
    if (known && known.key !== effect.key)
      throw new Error(
        `everyCrash: the run asks for ${effect.key} where it had asked for ${known.key}: it has to do the same for the same results`,
      )
    if (known?.value !== undefined) return JSON.parse(known.value) as Performed
    const isHere = this.#crash?.at === at
    const place = isHere ? this.#crash.place : undefined
    if (place === 'before') this.#end()
    const record = known ?? { key: effect.key, begunBy: this.#process }
    records[at] = record
    if (place === 'begun') this.#end()
    this.#now = at
    const performed = await effect.execute({ first: record.begunBy === this.#process })
    const { label, kind } = effect
    effects[at] ??= { label, kind, step: performed.entries[0]?.step ?? 1 }
    if (this.isDead || place === 'happened') this.#end()
    record.value = JSON.stringify(performed)
    if (place === 'recorded') this.#end()
    return JSON.parse(record.value) as Performed
  }

  #end(): never {
    this.isDead = true
    throw new ProcessEnded('everyCrash: the process ended here')
  }

  /** A person decides: approves, accepts with nothing, and looks up what happened. */
  #wait(pending: readonly PendingItem[]): readonly ResumeDecision[] {
    const { waits } = this.#disk
    const at = this.#waits++
    waits[at] ??= JSON.stringify(pending.map((item) => this.#decide(item)))
    return JSON.parse(waits[at]) as ResumeDecision[]
  }

  #decide(item: PendingItem): ResumeDecision {
    const { id } = item
    if (item.type === 'approval') return { type: 'approve', id, digest: item.digest }
    if (item.type === 'question')
      return { type: 'answer', id, digest: item.digest, action: 'decline' }
    if (item.type !== 'uncertain') return { type: 'result', id, result: 'done' }
    const { asked, happened } = this.#disk
    asked.push(item.action.type === 'tool_call' ? item.action.tool : item.action.agent)
    return happened.has(item.idempotencyKey)
      ? { type: 'result', id, result: happened.get(item.idempotencyKey) }
      : { type: 'repeat', id }
  }
}
