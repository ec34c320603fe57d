import { createHook } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createMock } from '@modelport/provider-mock'
import { expect, test } from 'vitest'
import {
  createMemoryJournal,
  type InferRequest,
  infer,
  type RunEvent,
  type RunJournal,
} from '../src/index.js'
import { asking } from './asking.js'
import { calls, weather } from './weather-run.js'

/**
 * Runs some steps; returns how often a text was estimated, and the stored intents and checkpoints.
 */
async function steps(count: number, request: Partial<InferRequest> = {}) {
  const base = createMock({
    responses: [...Array.from({ length: count }, (_, index) => calls(`c${index}`)), 'Done.'],
  })
  let estimates = 0
  const provider = Object.assign(Object.create(base) as typeof base, {
    estimateTokens: (text: string) => {
      estimates++
      return base.estimateTokens(text)
    },
  })
  const result = await infer(provider, {
    query: 'Hi',
    tools: [weather()],
    limits: { maxSteps: Infinity },
    ...request,
  })
  expect(result.status).toBe('final')
  return estimates
}

/** A journal that keeps what it is given. */
function keeping(): { readonly journal: RunJournal; readonly seen: unknown[] } {
  const memory = createMemoryJournal()
  const seen: unknown[] = []
  return {
    seen,
    journal: {
      writeIntent: (intent) => {
        if (intent.kind === 'model') seen.push([intent.inputTokens, intent.seq])
        return memory.writeIntent(intent)
      },
      writeReceipt: (receipt) => memory.writeReceipt(receipt),
      writeCheckpoint: (checkpoint, change) => {
        seen.push(checkpoint.seq)
        return memory.writeCheckpoint(checkpoint, change)
      },
      readTail: (checkpoint) => memory.readTail(checkpoint),
    },
  }
}

test('a run estimates each message once, however many steps follow', async () => {
  const few = await steps(10)
  const many = await steps(40)
  expect(many / few).toBeLessThan(4.5)
})

test('a run with a receiver of events estimates each message once too', async () => {
  const onEvent = (): void => undefined
  expect(
    (await steps(40, { observe: { onEvent } })) / (await steps(10, { observe: { onEvent } })),
  ).toBeLessThan(4.5)
})

test('a run counts the same tokens and events whether or not somebody receives them', async () => {
  const alone = keeping()
  const observed = keeping()
  const events: RunEvent[] = []
  await steps(3, { durable: { journal: alone.journal }, system: 'Be brief.' })
  await steps(3, {
    durable: { journal: observed.journal },
    system: 'Be brief.',
    observe: { onEvent: (event) => void events.push(event) },
  })
  expect(alone.seen).toEqual(observed.seen)
  expect(alone.seen).toHaveLength(8)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
})

type Counts = Readonly<Record<'promises' | 'timers' | 'parsed' | 'written', number>>

/** Counts what runs of so many steps make: promises, timers, passes of JSON. */
async function counts(steps: number): Promise<Counts> {
  const provider = asking(steps)
  const found = { promises: 0, timers: 0, parsed: 0, written: 0 }
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') found.promises++
      if (type === 'Timeout') found.timers++
    },
  })
  const { parse, stringify } = JSON
  JSON.parse = (...given: Parameters<typeof parse>): unknown => (found.parsed++, parse(...given))
  JSON.stringify = ((...given: Parameters<typeof stringify>) => (
    found.written++, stringify(...given)
  )) as typeof stringify
  hook.enable()
  try {
    const result = await infer(provider, {
      query: 'Hi',
      tools: [weather()],
      limits: { maxSteps: Infinity },
    })
    expect(result).toMatchObject({ status: 'final' })
  } finally {
    hook.disable()
    Object.assign(JSON, { parse, stringify })
  }
  return found
}

test('a step costs at most 110 promises, 4 timers, and 6 passes of JSON', async () => {
  await counts(2)
  // The least of some rounds: what else the process does is counted too.
  const rounds: (readonly [Counts, Counts])[] = []
  for (let round = 0; round < 3; round++) rounds.push([await counts(15), await counts(25)])
  const perStep = (name: keyof Counts): number =>
    Math.min(...rounds.map(([few, many]) => (many[name] - few[name]) / 10))
  expect(perStep('promises')).toBeLessThanOrEqual(110)
  // The response's head, two reads of its body, the tool.
  expect(perStep('timers')).toBeLessThanOrEqual(4)
  // Two events, the arguments, and once more whether they are still what the wire said.
  expect(perStep('parsed')).toBeLessThanOrEqual(4)
  expect(perStep('written')).toBeLessThanOrEqual(2)
})

test('a step leaves less than 8 kB that only a full garbage collection frees', () => {
  const program = fileURLToPath(new URL('./step-memory.ts', import.meta.url))
  const sources = new URL('../../../scripts/sources.mjs', import.meta.url).href
  const args = ['--expose-gc', '--import', sources, program]
  const bytes = Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  expect(bytes).toBeGreaterThan(0)
  // 25 kB before.
  expect(bytes).toBeLessThan(8_000)
})
