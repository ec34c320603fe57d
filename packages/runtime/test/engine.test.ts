// A run on an engine for durable execution: cut at each of its effects, in the middle of one too,
// and called again from its start.
import { createMock } from '@modelport/provider-mock'
import {
  defineTool,
  type Effect,
  type Engine,
  type InferRequest,
  infer,
  inferStream,
  type PendingItem,
  type Performed,
  type ResumeDecision,
  type RunEvent,
  type RunResult,
  type Tool,
} from '@modelport/runtime'
import { describe, expect, test } from 'vitest'
import { providerOf, type Scenario, World } from './cut-journal.js'

/** What the engine has on its disk. */
interface Disk {
  /** By place: the key of the effect, who began it, and what it resolved with. */
  readonly records: { key: string; begunBy: number; value?: string }[]
  /** The decisions that were waited for. */
  readonly waits: string[]
}

/** Where a process ends. */
interface Cut {
  readonly at: number
  readonly where: 'before' | 'begun' | 'happened' | 'recorded'
}

class ProcessEnded extends Error {}

/** One process of an engine that knows an effect by its place, as DBOS and Restate do. */
function engineOn(
  disk: Disk,
  nonce: number,
  cut: Cut | undefined,
  decide: (pending: readonly PendingItem[]) => readonly ResumeDecision[],
): { engine: Engine; executed: string[]; isDead(): boolean } {
  let place = 0
  let waits = 0
  let isDead = false
  const executed: string[] = []
  const die = (): never => {
    isDead = true
    throw new ProcessEnded('the process ended here')
  }
  const perform = async (effect: Effect): Promise<Performed> => {
    const at = place++
    const known = disk.records[at]
    if (known && known.key !== effect.key)
      throw new Error(`place ${at} has ${known.key}, and the run asks for ${effect.key}`)
    if (known?.value !== undefined) return JSON.parse(known.value) as Performed
    const isCut = cut?.at === at
    if (isCut && cut.where === 'before') die()
    const record = known ?? { key: effect.key, begunBy: nonce }
    disk.records[at] = record
    if (isCut && cut.where === 'begun') die()
    executed.push(effect.key)
    const value = JSON.stringify(await effect.execute({ first: record.begunBy === nonce }))
    if (isDead || (isCut && cut.where === 'happened')) die()
    record.value = value
    if (isCut) die()
    return JSON.parse(value) as Performed
  }
  const wait: Engine['wait'] = ({ pending }) => {
    const at = waits++
    disk.waits[at] ??= JSON.stringify(decide(JSON.parse(JSON.stringify(pending)) as PendingItem[]))
    return Promise.resolve(JSON.parse(disk.waits[at]) as ResumeDecision[])
  }
  return { engine: { perform, wait }, executed, isDead: () => isDead }
}

interface Ended {
  readonly result: RunResult
  readonly world: World
  readonly uncertain: number
  readonly isCut: boolean
  readonly events: readonly RunEvent[]
  readonly effects: number
}

/** Runs until the cut, then once more from the start. */
async function runWithCut(scenario: Scenario, cut: Cut | undefined): Promise<Ended> {
  const world = new World()
  const disk: Disk = { records: [], waits: [] }
  const events: RunEvent[] = []
  let uncertain = 0
  const decide = (pending: readonly PendingItem[]): readonly ResumeDecision[] =>
    pending.map((item): ResumeDecision => {
      if (item.type === 'approval') return { type: 'approve', id: item.id, digest: item.digest }
      if (item.type === 'question')
        return item.question.schema
          ? {
              type: 'answer',
              id: item.id,
              digest: item.digest,
              action: 'accept',
              content: { said: item.question.message },
            }
          : { type: 'answer', id: item.id, digest: item.digest, action: 'decline' }
      if (item.type !== 'uncertain')
        return { type: 'result', id: item.id, result: `result of ${item.taskId}` }
      uncertain++
      return world.effects.has(item.idempotencyKey)
        ? { type: 'result', id: item.id, result: world.results.get(item.idempotencyKey) }
        : { type: 'repeat', id: item.id }
    })
  for (let nonce = 1; ; nonce++) {
    const { engine, isDead } = engineOn(disk, nonce, nonce === 1 ? cut : undefined, decide)
    const run = infer(providerOf(scenario, world), {
      ...scenario.request(world),
      durable: { runId: 'r1', engine },
      observe: {
        onEvent: (event) => {
          if (!isDead()) events.push(event)
        },
      },
    })
    const result = await run.catch((error: unknown) => {
      expect(error).toBeInstanceOf(ProcessEnded)
    })
    if (result)
      return { result, world, uncertain, isCut: nonce > 1, events, effects: disk.records.length }
  }
}

const booking = (world: World, settings: object = {}) => ({
  ...defineTool({
    name: 'book',
    description: 'Books a seat',
    parameters: { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] },
    execute: ({ seat }, { run }) => world.happen(run.idempotencyKey, `booked ${seat}`),
  }),
  ...settings,
})

const asking = (world: World) =>
  defineTool({
    name: 'book',
    description: 'Books a seat',
    parameters: { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] },
    execute: async ({ seat }, { ask, run }) => {
      const schema = {
        type: 'object',
        properties: { said: { type: 'string' } },
        required: ['said'],
      } as const
      const first = await ask({ message: `the name for ${seat}`, schema })
      const name = first.action === 'accept' ? first.content.said : first.action
      return world.happen(run.idempotencyKey, `booked ${seat}: ${name}`)
    },
  })

const call = (id: string, seat: string) => ({ id, name: 'book', arguments: { seat } })
const two = { toolCalls: [call('c1', '1A'), call('c2', '2B')] }
const scripted =
  (...script: readonly ReturnType<Scenario['reply']>[]): Scenario['reply'] =>
  (messages) =>
    script[messages.filter(({ role }) => role === 'assistant').length] ?? 'Done.'

const scenarios: Readonly<Record<string, Scenario>> = {
  'two calls, then one more': {
    reply: scripted(two, { toolCalls: [call('c3', '3C')] }),
    request: (world) => ({ query: 'Book.', tools: [booking(world)] }),
  },
  'two idempotent calls': {
    reply: scripted(two),
    request: (world) => ({ query: 'Book.', tools: [booking(world, { idempotent: true })] }),
  },
  'calls that their receiver can look up': {
    reply: scripted(two),
    request: (world) => ({
      query: 'Book.',
      tools: [
        booking(world, {
          reconcile: (_value: unknown, { run }: { run: { idempotencyKey: string } }) =>
            world.effects.has(run.idempotencyKey)
              ? { outcome: 'executed', result: world.results.get(run.idempotencyKey) }
              : { outcome: 'not-executed' },
        }),
      ],
    }),
  },
  'an approval for one of two calls, and prepared steps': {
    reply: scripted(two),
    request: (world) => ({
      query: 'Book.',
      tools: [booking(world)],
      prepareStep: ({ step }) => ({ system: `step ${step}` }),
      authorize: (asked) =>
        asked.type === 'tool_call' && asked.args['seat'] === '2B'
          ? { effect: 'require-approval', reason: 'expensive' }
          : { effect: 'allow' },
    }),
  },
  'calls that ask': {
    reply: scripted(two),
    request: (world) => ({ query: 'Book.', tools: [asking(world)] }),
  },
  'calls that the request gives': {
    reply: () => 'Done.',
    request: (world) => ({
      query: 'Book.',
      calls: ['1A', '2B'].map((seat) => ({ name: 'book', arguments: { seat } })),
      tools: [booking(world)],
    }),
  },
  'a model call that fails': {
    reply: scripted({ toolCalls: [call('c1', '1A')] }, { error: 'auth' }),
    request: (world) => ({ query: 'Book.', tools: [booking(world)] }),
  },
  'a budget that has no room for the second call': {
    reply: scripted(two),
    request: (world) => ({
      query: 'Book.',
      tools: [booking(world)],
      limits: { budget: { maxToolCalls: 1 } },
    }),
  },
}

const places = ['before', 'begun', 'happened', 'recorded'] as const

describe('a run on an engine', () => {
  describe.each(Object.entries(scenarios))('%s', (name, scenario) => {
    // A call that may have been made counts, so that what may follow it is another.
    const isCounted = name.startsWith('a budget')
    test.each(places.filter((where) => !isCounted || where === 'before' || where === 'recorded'))(
      'J18: a run that is cut %s each of its effects ends as if it had not been cut',
      async (where) => {
        const whole = await runWithCut(scenario, undefined)
        expect(whole.uncertain).toBe(0)
        for (let at = 0; at < whole.effects; at++) {
          const cut = await runWithCut(scenario, { at, where })
          const place = `${name}, cut ${where} effect ${at}`
          expect(cut.isCut, place).toBe(true)
          const { status, text, transcript, steps } = whole.result
          expect(cut.result, place).toMatchObject({ status, text, steps })
          expect(JSON.stringify(cut.result.transcript), place).toBe(JSON.stringify(transcript))
          expect([...cut.world.effects.keys()].sort(), place).toEqual(
            [...whole.world.effects.keys()].sort(),
          )
          const tools = (scenario.request(cut.world).tools ?? []) as readonly Tool[]
          if (!tools.some(({ idempotent }) => idempotent))
            for (const [key, count] of cut.world.effects)
              expect([place, key, count]).toEqual([place, key, 1])
          expect(cut.uncertain, place).toBeLessThanOrEqual(1)
        }
      },
    )

    test('J18: no event of a run that is called again is reported twice', async () => {
      const whole = await runWithCut(scenario, undefined)
      for (let at = 0; at < whole.effects; at++) {
        const { events: all } = await runWithCut(scenario, { at, where: 'recorded' })
        // What follows the last effect before a wait is reported again: nobody knows if it was.
        const events = all.filter(
          ({ type, seq }, index) =>
            type !== 'run-suspended' || all.findIndex((other) => other.seq === seq) === index,
        )
        const numbers = events.map(({ seq }) => seq)
        expect(numbers, `cut after effect ${at}`).toEqual([...new Set(numbers)])
        expect(events.map(({ type }) => type)).toEqual(whole.events.map(({ type }) => type))
      }
    })
  })

  const once: InferRequest = { query: 'Hello', durable: { runId: 'r1' } }
  const hello = () => createMock({ responses: ['Hello.'] })

  test('what an engine throws reaches its caller as it is', async () => {
    const stop = new Error('suspended by the engine')
    const engine: Engine = { perform: () => Promise.reject(stop) }
    await expect(infer(hello(), { ...once, durable: { runId: 'r1', engine } })).rejects.toBe(stop)
  })

  test('an engine without an id of the run, next to a journal, or for a stream is refused', async () => {
    const engine: Engine = { perform: (effect) => effect.execute({ first: true }) }
    await expect(infer(hello(), { query: 'Hello', durable: { engine } })).rejects.toThrow(
      'durable.engine needs a runId',
    )
    expect(() => inferStream(hello(), { ...once, durable: { runId: 'r1', engine } })).toThrow(
      'an engine runs infer',
    )
  })

  test('an engine that gives something else than it was given is named', async () => {
    const engine = { perform: () => Promise.resolve('Hello.') } as unknown as Engine
    await expect(infer(hello(), { ...once, durable: { runId: 'r1', engine } })).rejects.toThrow(
      'perform must resolve with what the effect resolved with',
    )
  })

  test('a run whose engine cannot wait ends as suspended', async () => {
    const world = new World()
    const engine: Engine = { perform: (effect) => effect.execute({ first: true }) }
    const result = await infer(createMock({ responses: [two, 'Done.'] }), {
      query: 'Book.',
      tools: [booking(world)],
      authorize: () => ({ effect: 'require-approval' }),
      durable: { runId: 'r1', engine },
    })
    expect(result.status).toBe('suspended')
    expect(world.effects.size).toBe(0)
  })
})
