import type { StreamEvent } from '@modelport/core'
import { expect, test } from 'vitest'
import { createMemoryJournal } from '../src/index.js'
import { calls, ended, loaded, run } from './weather-run.js'

const types = async (request: Parameters<typeof run>[1]): Promise<readonly string[]> => {
  const seen: string[] = []
  const { result } = await run([calls('Rome'), 'It is warm.'], {
    ...request,
    observe: {
      ...request?.observe,
      onStreamEvent: (event: StreamEvent) => void seen.push(event.type),
      onEvent: ({ type }) => {
        if (['tool-result', 'text-delta'].includes(type)) seen.push(`run ${type}`)
      },
    },
  })
  ended(result, 'final')
  return [...new Set(seen)]
}

test('onStreamEvent receives what the provider streams, before the events of the run, also without deltas', async () => {
  expect(await types({ observe: { deltas: false } })).toEqual([
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
  const seen = await types({
    limits: { profile: { supportsStreaming: false } },
    observe: { deltas: false },
  })
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
    durable: { runId: 'r', journal },
    observe: {
      onStreamEvent: () => {
        count++
        throw new Error('no')
      },
    },
  })
  ended(result, 'final')
  expect(count).toBe(1)
  const seen: StreamEvent[] = []
  const again = await run(['never'], {
    query: undefined,
    ...loaded(journal),
    observe: { onStreamEvent: (event) => void seen.push(event) },
  })
  ended(again.result, 'final')
  expect(again.provider.requests).toHaveLength(0)
  expect(seen).toEqual([])
})
