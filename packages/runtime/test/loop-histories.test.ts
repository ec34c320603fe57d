// Histories of a run that nobody wrote: what the model asks for, what a person wants first, what
// its tools declare, how each sending of a call ends, where the process dies, and what remembers
// it. The auditor below looks at the receiver's ledger and at the decisions, and knows no rule of
// the loop but the promise: what may have happened is not made again as if it had not.
import { createMock } from '@modelport/provider-mock'
import {
  createMemoryJournal,
  defineTool,
  type Effect,
  type EffectDeclaration,
  type Engine,
  type GivenCall,
  type InferRequest,
  infer,
  OutcomeUnknown,
  type PendingItem,
  type Performed,
  type ResumeDecision,
  type RunResult,
  type Tool,
} from '@modelport/runtime'
import { expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { atSize } from '../../../test/support/faults.js'
import { cutJournal } from './cut-journal.js'

/** What a tool may declare; a new declaration does not compile until it has a row. */
const declarations = {
  nothing: {},
  idempotent: { idempotent: true },
  readOnly: { readOnly: true },
  once: { once: true },
  reconcile: {},
} as const satisfies Record<'nothing' | keyof EffectDeclaration, EffectDeclaration>
type Declaration = keyof typeof declarations

/** How one sending of a call ends: whether it has its effect, and what the tool says. */
const sendings = {
  answers: { happens: true, says: () => 'done' },
  refuses: { happens: false, says: () => raise(new Error('declined')) },
  loses: { happens: true, says: () => raise(new OutcomeUnknown('the reply was lost')) },
  breaks: { happens: true, says: () => raise(broken('ECONNRESET')) },
  'breaks before': { happens: false, says: () => raise(broken('ECONNRESET')) },
  'reaches nobody': { happens: false, says: () => raise(broken('ECONNREFUSED')) },
} as const
type Sending = keyof typeof sendings

const raise = (error: Error): never => {
  throw error
}
const broken = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

const isUnclear: ReadonlySet<Sending> = new Set(['loses', 'breaks', 'breaks before'])

interface History {
  readonly declares: readonly [Declaration, Declaration]
  readonly approves: readonly [boolean, boolean]
  readonly given: readonly Call[]
  readonly steps: readonly (readonly Call[])[]
  readonly sendings: readonly Sending[]
  readonly on: 'journal' | 'engine'
  readonly cuts: readonly Cut[]
  /** The model names its calls alike in each step. */
  readonly hasSameIds: boolean
  /** A reply that ends in the middle of a call, by its number, and how it ends. */
  readonly cutReply: { readonly step: number; readonly by: 'length' | 'connection' } | null
  /** Calls that the run may make. */
  readonly most: number | null
}

interface Call {
  readonly tool: 0 | 1
  readonly eur: 1 | 2
}

interface Cut {
  readonly at: number
  readonly place: 'before' | 'begun' | 'happened' | 'recorded'
}

/** A line of the receiver's ledger, or of what a person said. */
type Line =
  | {
      readonly is: 'sent'
      readonly tool: number
      readonly eur: number
      readonly key: string
      readonly ends: Sending
      readonly effect: boolean
      readonly step: number
    }
  | { readonly is: 'decided'; readonly key: string }
  | { readonly is: 'looked up'; readonly key: string; readonly happened: boolean }
  | { readonly is: 'died' }

const calls = fc.record({
  tool: fc.constantFrom(0 as const, 1 as const),
  eur: fc.constantFrom(1 as const, 2 as const),
})
const histories: fc.Arbitrary<History> = fc.record({
  declares: fc.tuple(names(declarations), names(declarations)),
  approves: fc.tuple(fc.boolean(), fc.boolean()),
  given: fc.array(calls, { maxLength: 2 }),
  steps: fc.array(fc.array(calls, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
  sendings: fc.array(names(sendings), { maxLength: 8 }),
  on: fc.constantFrom('journal' as const, 'engine' as const),
  cuts: fc.array(
    fc.record({
      at: fc.nat(14),
      place: fc.constantFrom(
        'before' as const,
        'begun' as const,
        'happened' as const,
        'recorded' as const,
      ),
    }),
    { maxLength: 2 },
  ),
  hasSameIds: fc.boolean(),
  cutReply: fc.option(
    fc.record({
      step: fc.nat(3),
      by: fc.constantFrom('length' as const, 'connection' as const),
    }),
    { freq: 3 },
  ),
  most: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 3 }),
})

function names<Row extends object>(rows: Row): fc.Arbitrary<keyof Row> {
  return fc.constantFrom(...(Object.keys(rows) as (keyof Row)[]))
}

/** Plays a history to its end. */
class Play {
  readonly #history: History
  readonly ledger: Line[] = []
  /** What happened, by key, as the receiver keeps it. */
  readonly #happened = new Set<string>()
  #sent = 0
  /** True while a dead process still runs: nothing of it reaches anybody. */
  #dead = false

  get isDead(): boolean {
    return this.#dead
  }

  constructor(history: History) {
    this.#history = history
  }

  get #tools(): readonly Tool[] {
    return this.#history.declares.map((declaration, tool) => ({
      ...defineTool({
        name: `tool_${tool}`,
        description: 'Pays',
        parameters: { type: 'object', properties: { eur: { type: 'number' } }, required: ['eur'] },
        execute: ({ eur }, { run, step }) => this.#receive(tool, eur, run.idempotencyKey, step),
      }),
      ...declarations[declaration],
      ...(declaration === 'reconcile' && {
        reconcile: (
          _value: unknown,
          { run: { idempotencyKey: key } }: { readonly run: { readonly idempotencyKey: string } },
        ) => {
          const happened = this.#happened.has(key)
          this.ledger.push({ is: 'looked up', key, happened })
          return happened
            ? ({ outcome: 'executed', result: 'done' } as const)
            : ({ outcome: 'not-executed' } as const)
        },
      }),
    }))
  }

  #receive(tool: number, eur: number, key: string, step: number): unknown {
    if (this.isDead) return raise(new Error('this process is dead'))
    const ends = this.#history.sendings[this.#sent++] ?? 'answers'
    const { happens, says } = sendings[ends]
    const knowsKeys = this.#history.declares[tool] === 'idempotent'
    const effect = happens && !(knowsKeys && this.#happened.has(key))
    if (happens) this.#happened.add(key)
    this.ledger.push({ is: 'sent', tool, eur, key, ends, effect, step })
    return says()
  }

  get #request(): InferRequest {
    const { approves, given, most } = this.#history
    return {
      query: 'Pay.',
      tools: this.#tools,
      calls: given.map(
        ({ tool, eur }): GivenCall => ({ name: `tool_${tool}`, arguments: { eur } }),
      ),
      limits: {
        maxSteps: 20,
        maxRepeats: 20,
        maxIdleSteps: 20,
        ...(most !== null && { budget: { maxToolCalls: most } }),
      },
      ...(approves.includes(true) && {
        authorize: (action) =>
          action.type === 'tool_call' && approves[Number(action.tool.at(-1))]
            ? { effect: 'require-approval' }
            : { effect: 'allow' },
      }),
    }
  }

  get #provider() {
    const { given, steps, hasSameIds, cutReply } = this.#history
    return createMock({
      defaultResponse: ({ messages }) => {
        const step = messages.filter(({ role }) => role === 'assistant').length - given.length
        const asked = steps[step]
        if (!asked) return 'Done.'
        const toolCalls = asked.map(({ tool, eur }, index) => ({
          id: `c${hasSameIds ? '' : step}_${index}`,
          name: `tool_${tool}`,
          arguments: { eur },
        }))
        if (cutReply?.step !== step) return { toolCalls }
        const { arguments: _, ...rest } = toolCalls.at(-1)!
        const half = { ...rest, argumentsText: '{"eur": ' }
        return {
          toolCalls: [...toolCalls.slice(0, -1), half],
          ...(cutReply.by === 'length' ? { finish: 'length' as const } : { cut: true as const }),
        }
      },
    })
  }

  /** A person approves what waits, and says of an unknown call what the receiver knows. */
  readonly #decide = (item: PendingItem): ResumeDecision => {
    const { id } = item
    if (item.type === 'approval') return { type: 'approve', id, digest: item.digest }
    if (item.type !== 'uncertain') return { type: 'give-up', id }
    const { idempotencyKey: key } = item
    this.ledger.push({ is: 'decided', key })
    return this.#happened.has(key) ? { type: 'result', id, result: 'done' } : { type: 'repeat', id }
  }

  run(): Promise<RunResult> {
    return this.#history.on === 'journal' ? this.#onJournal() : this.#onEngine()
  }

  async #onJournal(): Promise<RunResult> {
    const memory = createMemoryJournal()
    const cuts = [...this.#history.cuts]
    let decisions: readonly ResumeDecision[] = []
    for (let round = 0; round < 40; round++) {
      const cut = cuts.shift()
      const journal = cut
        ? cutJournal(memory, {
            at: cut.at + 1,
            stores: cut.place === 'begun' || cut.place === 'recorded',
          }).journal
        : memory
      const stored = memory.load('r1')
      const { query, ...rest } = this.#request
      const result = await infer(
        this.#provider,
        stored
          ? {
              ...rest,
              messages: stored.messages,
              durable: { resume: stored.resume, decisions, journal },
            }
          : { ...rest, query, durable: { runId: 'r1', journal } },
      )
      decisions = []
      if (result.status === 'suspended') decisions = result.pending.map(this.#decide)
      else if (result.status === 'failed' && result.error.name === 'JournalError')
        this.ledger.push({ is: 'died' })
      else return result
    }
    throw new Error('the run did not end')
  }

  async #onEngine(): Promise<RunResult> {
    const records: { key: string; begunBy: number; value?: string }[] = []
    const waits: string[] = []
    for (let process = 1; process < 6; process++) {
      const cut = this.#history.cuts[process - 1]
      let at = 0
      let wait = 0
      this.#dead = false
      const die = (): never => {
        this.#dead = true
        return raise(new Error('the process died'))
      }
      const perform = async (effect: Effect): Promise<Performed> => {
        const here = at++
        const place = cut?.at === here ? cut.place : undefined
        const known = records[here]
        expect(known?.key ?? effect.key).toBe(effect.key)
        if (known?.value !== undefined) return JSON.parse(known.value) as Performed
        if (place === 'before') die()
        const record = known ?? { key: effect.key, begunBy: process }
        records[here] = record
        if (place === 'begun') die()
        const value = JSON.stringify(await effect.execute({ first: record.begunBy === process }))
        if (place === 'happened') die()
        record.value = value
        if (place === 'recorded') die()
        return JSON.parse(value) as Performed
      }
      const engine: Engine = {
        perform,
        wait: ({ pending }) => {
          const here = wait++
          waits[here] ??= JSON.stringify(pending.map(this.#decide))
          return Promise.resolve(JSON.parse(waits[here]) as ResumeDecision[])
        },
      }
      try {
        return await infer(this.#provider, { ...this.#request, durable: { runId: 'r1', engine } })
      } catch (error) {
        if (!this.isDead) throw error
        this.ledger.push({ is: 'died' })
      }
    }
    throw new Error('the run did not end')
  }
}

/** What is wrong with what the receiver saw. */
function audit({ declares, most }: History, ledger: readonly Line[]): readonly string[] {
  const wrong: string[] = []
  const sent = ledger.flatMap((line) => (line.is === 'sent' ? [line] : []))
  const keys = new Set(sent.map(({ key }) => key))
  if (most !== null && keys.size > most) wrong.push(`${keys.size} calls of ${most} were made`)
  for (const { key, eur } of sent)
    if (typeof eur !== 'number') wrong.push(`${key} was sent with half of its arguments`)
  const effects = new Map<string, number>()
  /** Sendings whose outcome nobody knows yet, by key. */
  const open = new Map<string, Extract<Line, { is: 'sent' }>>()
  for (const line of ledger) {
    if (line.is === 'died') continue
    if (line.is !== 'sent') {
      open.delete(line.key)
      continue
    }
    const { tool, eur, key, ends, effect, step } = line
    const declaration = declares[tool as 0 | 1]
    if (declaration === 'readOnly') continue
    if (effect) effects.set(key, (effects.get(key) ?? 0) + 1)
    for (const other of open.values()) {
      if (other.tool !== tool || other.eur !== eur) continue
      const isSecondWish = other.key !== key && other.step === step
      const isSafe = declaration === 'idempotent' && other.key === key
      if (!isSecondWish && !isSafe)
        wrong.push(`${key} was sent although nobody knew what came of ${other.key}`)
    }
    if (isUnclear.has(ends)) open.set(key, line)
    else if (ends !== 'reaches nobody') open.delete(key)
  }
  for (const [key, count] of effects) if (count > 1) wrong.push(`${key} happened ${count} times`)
  return wrong
}

test('no history makes a call twice, loses a run, or leaves a call without a result', async () => {
  const seen = new Map<string, number>()
  const count = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1)
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const play = new Play(history)
      const result = await play.run()
      expect(audit(history, play.ledger), JSON.stringify(play.ledger)).toEqual([])
      const isCut = history.cutReply !== null && history.cutReply.step < history.steps.length
      const ends = [
        'final',
        ...(isCut ? ['limit', 'failed'] : []),
        ...(history.most ? ['budget'] : []),
      ]
      expect(ends).toContain(result.status)
      count(result.status)
      if (history.hasSameIds) count('same ids')
      const open = new Set<string>()
      for (const message of result.transcript) {
        if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) open.add(id)
        if (message.role === 'tool') open.delete(message.toolCallId)
      }
      expect([...open]).toEqual([])
      for (const line of play.ledger) count(line.is === 'sent' ? line.ends : line.is)
      count(history.on)
    }),
    { numRuns: atSize(250, 20_000) },
  )
  // A move that hardly ever comes tests nothing.
  for (const what of [
    ...Object.keys(sendings),
    'decided',
    'looked up',
    'died',
    'journal',
    'engine',
    'same ids',
    'budget',
    'limit',
    'failed',
  ])
    expect([what, (seen.get(what) ?? 0) > (what === 'failed' ? 5 : 10)]).toEqual([what, true])
})
