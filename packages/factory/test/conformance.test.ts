import { conformance } from '@modelport/conformance'
import { type Provider, ProviderError } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createMock } from '@modelport/provider-mock'
import { createOllama } from '@modelport/provider-ollama'
import { anthropicMessages, ollamaChat } from '@modelport/test-formats'
import { describe, test } from 'vitest'
import { atSize, bytesBehind } from '../../../test/support/faults.js'
import { createFallback } from '../src/index.js'

const apiKey = 'fallback-0123456789-conformance-key'
const ollama = (config: object): Provider =>
  createOllama({ model: 'llama3', baseUrl: 'https://ollama.example', apiKey, ...config })

/** Refuses every call before it sends anything. */
const refuses = createMock({
  responses: [{ error: new ProviderError('permission', 'not today', { provider: 'mock' }) }],
  defaults: { retry: { attempts: 1 } },
})

// The kit moves a clock of its own: real time that passes in the first provider must not be taken
// off its deadlines. The kit's own failures must reach its tests: with nothing to switch to, each
// is the caller's.
conformance(
  { describe, test, everyNthByte: atSize(16, 1) },
  {
    name: 'a fallback that stays with its first provider',
    format: ollamaChat,
    apiKey,
    create: (config) => createFallback([ollama(config)]),
    skip: bytesBehind,
  },
)

conformance(
  { describe, test, everyNthByte: atSize(16, 1) },
  {
    name: 'a fallback that has gone on to its second provider',
    format: anthropicMessages,
    apiKey,
    create: (config) =>
      createFallback(
        [refuses, createAnthropic({ model: 'claude-sonnet-4-5', apiKey, ...config })],
        {
          coolDownMs: 0,
          now: () => 0,
        },
      ),
    skip: {
      ...bytesBehind,
      'F3 onRetry is called before each further attempt, and may refuse it':
        'the switch from the first provider is its first attempt; fallback.test.ts tests that',
    },
  },
)
