import { type ErrorCode, isLlmError, isRetryable, LlmError, ProviderError } from '@modelport/core'
import { describe, expect, test } from 'vitest'

describe('errors', () => {
  test('an error has its code, its name and its cause', () => {
    const cause = new Error('why')
    expect(new LlmError('config', 'x', { cause })).toMatchObject({
      code: 'config',
      name: 'LlmError',
      message: 'x',
      cause,
    })
  })

  test('a provider error keeps the facts it is given and no others', () => {
    const error = new ProviderError('rate-limit', 'm', {
      provider: 'p',
      status: 429,
      retryAfterMs: 10,
    })
    expect(error).toBeInstanceOf(LlmError)
    expect(error.name).toBe('ProviderError')
    expect(Object.keys(error).sort()).toEqual(['code', 'provider', 'retryAfterMs', 'status'])
  })

  test('isLlmError knows errors of another copy of the package by their brand, and looks at the code', () => {
    const foreign = Object.assign(new Error('x'), {
      code: 'auth',
      [Symbol.for('modelport.error')]: true,
    })
    expect(isLlmError(foreign)).toBe(true)
    expect(isLlmError(foreign, 'auth')).toBe(true)
    expect(isLlmError(foreign, 'config')).toBe(false)
    expect(isLlmError(new Error('x'))).toBe(false)
    expect(isLlmError({ code: 'auth' })).toBe(false)
    expect(isLlmError(undefined)).toBe(false)
  })

  const retryable: ErrorCode[] = [
    'rate-limit',
    'overloaded',
    'server',
    'network',
    'timeout',
    'truncated',
  ]
  const final: ErrorCode[] = [
    'config',
    'invalid-base-url',
    'auth',
    'permission',
    'not-found',
    'invalid-request',
    'context-length',
    'content-filter',
    'quota-exhausted',
    'protocol',
    'limit-exceeded',
    'redirect-refused',
    'aborted',
    'budget-exceeded',
    'unsupported',
    'unknown',
  ]
  test.each(retryable)('%s may succeed later', (code) => {
    expect(new LlmError(code, '').retryable).toBe(true)
  })
  test.each(final)('%s will not succeed later', (code) => {
    expect(new LlmError(code, '').retryable).toBe(false)
  })

  test('an unknown host, a refused certificate and a passed deadline are final', () => {
    const provider = 'p'
    expect(isRetryable(new ProviderError('network', '', { provider, reason: 'dns' }))).toBe(false)
    expect(isRetryable(new ProviderError('network', '', { provider, reason: 'tls' }))).toBe(false)
    expect(isRetryable(new ProviderError('network', '', { provider, reason: 'reset' }))).toBe(true)
    expect(isRetryable(new ProviderError('timeout', '', { provider, reason: 'deadline' }))).toBe(
      false,
    )
    expect(isRetryable(new ProviderError('timeout', '', { provider, reason: 'idle' }))).toBe(true)
  })
})
