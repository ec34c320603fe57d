import { inspect } from 'node:util'
import { createRedact, ProviderError } from '@modelport/core'
import { expect, test } from 'vitest'
import { sanitizeError } from '../src/call/sanitize.js'

test('an error as the caller sees it has nothing of the secret and no foreign object', () => {
  const key = 'sk-ant-api03-Zx81CanaryKey0123456789'
  const cause = Object.assign(new Error(`connect with ${key}`), {
    code: 'ECONNRESET',
    request: { headers: { authorization: key } },
  })
  const call = {
    id: key,
    name: 'f',
    arguments: { text: key },
    argumentsText: JSON.stringify({ text: key }),
  }
  const usage = {
    inputTokens: 1,
    outputTokens: 1,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    reasoningTokens: 0,
    toolDefinitionTokens: 0,
    turns: [],
    reported: false,
  }
  const partial = { text: `a ${key}`, reasoning: key, toolCalls: [call], usage, bytes: 3 }
  const error = new ProviderError(
    'auth',
    `p: bad key ${key}`,
    {
      provider: 'p',
      status: 401,
      requestId: key,
      type: key,
      body: `{"key":"${btoa(key)}"}`,
      partial,
    },
    { cause },
  )
  for (const given of [error, cause, `text ${key}`, Object.assign(new TypeError(key), { cause })]) {
    const clean = sanitizeError(given, 'p', createRedact([key]))
    for (const text of [
      String(clean),
      clean.stack ?? '',
      JSON.stringify(clean),
      inspect(clean, { depth: 20, showHidden: true }),
    ]) {
      expect(text).not.toContain(key)
      expect(text).not.toContain(btoa(key).slice(0, 20))
    }
    expect(inspect(clean, { depth: 20, showHidden: true })).not.toContain('authorization')
  }
  const clean = sanitizeError(error, 'p', createRedact([key]))
  expect(clean).toMatchObject({
    code: 'auth',
    status: 401,
    cause: { message: 'connect with [redacted]', code: 'ECONNRESET' },
  })
})
