import { LlmError, ProviderError, toUsage, zeroCounts } from '@modelport/core'
import { expect, test } from 'vitest'
import { toEnd } from '../src/attach/encode.js'

test('a call that breaks off counts the tokens that the vendor had reported', () => {
  const usage = toUsage([{ ...zeroCounts, inputTokens: 120, outputTokens: 3 }])
  const partial = { text: 'It is', reasoning: '', toolCalls: [], usage, bytes: 80 }
  const broken = new ProviderError('truncated', 'the reply broke off', {
    provider: 'openai',
    partial,
  })
  expect(toEnd(broken)).toEqual({
    usage,
    error: { code: 'truncated', message: 'the reply broke off' },
  })
  expect(toEnd(new LlmError('auth', 'no key'))).toEqual({
    error: { code: 'auth', message: 'no key' },
  })
})
