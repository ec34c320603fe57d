import type { StreamEvent } from '@modelport/core'
import { expect, test } from 'vitest'
import { createMemoryJournal } from '../src/index.js'
import { calls, ended, run } from './weather-run.js'

const types = async (request: Parameters<typeof run>[1]): Promise<readonly string[]> => {
  const seen: string[] = []
  const { result } = await run([calls('Rome'), 'It is warm.'], {
    ...request,
    onStreamEvent: (event: StreamEvent) => void seen.push(event.type),
    onEvent: ({ type }) => {
      if (['tool-result', 'text-delta'].includes(type)) seen.push(`run ${type}`)
    },
  })
  ended(result, 'final')
  return [...new Set(seen)]
}

test('onStreamEvent receives what the provider streams, before the events of the run, also without deltas', async () => {
  expect(await types({ deltas: false })).toEqual([
    'tool-call-start',
    'tool-call-delta',
    'tool-call-complete',
    'turn-end',
    'done',
    'run tool-result',
    'text-delta',
  ])
  const whole = await types({})
  expect(whole.indexOf('text-delta')).toBeLessThan(whole.indexOf('run text-delta'))
})

test('onStreamEvent receives the same of a model without streaming, but no done', async () => {
  const seen = await types({ profile: { supportsStreaming: false }, deltas: false })
  expect(seen).toEqual([
    'tool-call-start',
    'tool-call-delta',
    'tool-call-complete',
    'turn-end',
    'run tool-result',
    'text-delta',
  ])
})

test('an onStreamEvent that throws is not called again, and a recorded reply has no events', async () => {
  let count = 0
  const journal = createMemoryJournal()
  const { result } = await run([calls('Rome'), 'It is warm.'], {
    runId: 'run_1',
    journal,
    onStreamEvent: () => {
      count++
      throw new Error('no')
    },
  })
  ended(result, 'final')
  expect(count).toBe(1)
  const seen: StreamEvent[] = []
  const again = await run(['never'], {
    query: undefined,
    ...journal.load('run_1'),
    journal,
    onStreamEvent: (event) => void seen.push(event),
  })
  ended(again.result, 'final')
  expect(again.provider.requests).toHaveLength(0)
  expect(seen).toEqual([])
})
