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

/** What a step costs, measured by a program of its own. */
function stepCost(): Readonly<
  Record<'promises' | 'timers' | 'parsed' | 'written' | 'bytes', number>
> {
  const program = fileURLToPath(new URL('./step-cost.ts', import.meta.url))
  const sources = new URL('../../../scripts/sources.mjs', import.meta.url).href
  const args = ['--expose-gc', '--import', sources, program]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as ReturnType<
    typeof stepCost
  >
}

test('a step costs at most 110 promises, 4 timers, and 6 passes of JSON, and leaves less than 8 kB that only a full garbage collection frees', () => {
  const { promises, timers, parsed, written, bytes } = stepCost()
  expect(promises).toBeLessThanOrEqual(110)
  // The response's head, two reads of its body, the tool.
  expect(timers).toBeLessThanOrEqual(4)
  // Two events, the arguments, and once more whether they are still what the wire said.
  expect(parsed).toBeLessThanOrEqual(4)
  expect(written).toBeLessThanOrEqual(2)
  expect(bytes).toBeGreaterThan(0)
  // 25 kB before.
  expect(bytes).toBeLessThan(8_000)
})
