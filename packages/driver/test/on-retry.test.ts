import { LlmError, type RetryNotice } from '@modelport/core'
import {
  createNeutralDecoder,
  createProvider,
  type Driver,
  type NeutralRecord,
  systemClock,
  type Turn,
  toNeutralError,
  toNeutralResponse,
} from '@modelport/driver'
import { expect, test } from 'vitest'

/** Fails as often as told, then answers. */
function flaky(failures: number) {
  const sent: Turn[] = []
  const driver: Driver<Turn> = {
    name: 'flaky',
    framing: 'ndjson',
    request: (turn) => turn,
    send: async (turn) => {
      if (sent.push(turn) <= failures)
        throw toNeutralError('flaky', {
          body: { code: 'overloaded', message: 'busy, key-1234567890' },
        })
      const records: NeutralRecord[] = [
        { type: 'text', text: 'ok' },
        { type: 'end', finish: 'stop', usage: {} },
      ]
      return toNeutralResponse({ next: async () => records.shift(), cancel: () => {} }, turn.stream)
    },
    decoder: createNeutralDecoder,
    error: (failure) => toNeutralError('flaky', failure),
  }
  const clock = { ...systemClock, random: () => 0 }
  return {
    sent,
    provider: createProvider(driver, {
      model: 'm',
      cheapestModel: 'm',
      hosts: [],
      clock,
      secrets: ['key-1234567890'],
    }),
  }
}

test('onRetry is called before each further attempt, without secrets', async () => {
  const { provider, sent } = flaky(2)
  const notices: (RetryNotice & { sent: number })[] = []
  const onRetry = (notice: RetryNotice) => notices.push({ ...notice, sent: sent.length })
  expect(await provider.complete('?', { retry: { attempts: 3, onRetry } })).toBe('ok')
  expect(notices).toMatchObject([
    { attempt: 1, delayMs: 0, sent: 1 },
    { attempt: 2, delayMs: 0, sent: 2 },
  ])
  expect(notices[0]?.error).toBeInstanceOf(LlmError)
  expect(notices[0]?.error.message).not.toContain('key-1234567890')
})

test('an error that onRetry throws ends the call in place of the next attempt', async () => {
  const { provider, sent } = flaky(2)
  const refusal = new LlmError('budget-exceeded', 'no more')
  const onRetry = () => {
    throw refusal
  }
  await expect(provider.complete('?', { retry: { onRetry } })).rejects.toBe(refusal)
  await expect(provider.stream('?', { retry: { onRetry } })).rejects.toBe(refusal)
  expect(sent).toHaveLength(2)
})

test('a retry waits for the promise of onRetry, and is not made if that rejects', async () => {
  const { provider, sent } = flaky(1)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const asked = Promise.withResolvers<undefined>()
  const onRetry = async (): Promise<void> => {
    asked.resolve(undefined)
    await promise
  }
  const reply = provider.complete('Hi', { retry: { onRetry } })
  await asked.promise
  expect(sent).toHaveLength(1)
  resolve(undefined)
  expect(await reply).toBe('ok')

  const refused = flaky(1)
  const refusal = new Error('no room')
  const refuse = (): Promise<never> => Promise.reject(refusal)
  await expect(refused.provider.complete('Hi', { retry: { onRetry: refuse } })).rejects.toBe(
    refusal,
  )
  expect(refused.sent).toHaveLength(1)
})
