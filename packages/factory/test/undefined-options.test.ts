import type { Provider } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'
import { createFallback, type ModelConfig, newProvider } from '../src/index.js'
import { emptyEnvironment, recordingFetch } from './support.js'

// With exactOptionalPropertyTypes this file compiles only if each field accepts undefined.
const common = {
  cheapestModel: undefined,
  profile: undefined,
  defaults: undefined,
  headers: undefined,
  proxy: undefined,
  enforceHosts: undefined,
  timeouts: undefined,
  limits: undefined,
  retryBucket: undefined,
  lenientEof: undefined,
  onResponse: undefined,
  onWarning: undefined,
  tokenFactor: undefined,
  clock: undefined,
}
const must = { model: 'm', apiKey: 'key-of-tests-0123' }
type Fetch = ReturnType<typeof recordingFetch>['fetch']

const cases: readonly (readonly [
  string,
  (fetch: Fetch) => Provider,
  (fetch: Fetch) => Provider,
])[] = [
  [
    'anthropic',
    (fetch) => createAnthropic({ ...must, fetch }),
    (fetch) =>
      createAnthropic({
        ...common,
        authToken: undefined,
        baseUrl: undefined,
        betas: undefined,
        ...must,
        fetch,
      }),
  ],
  [
    'openai',
    (fetch) => createOpenAI({ ...must, fetch }),
    (fetch) =>
      createOpenAI({
        ...common,
        baseUrl: undefined,
        api: undefined,
        azure: undefined,
        ...must,
        fetch,
      }),
  ],
  [
    'google',
    (fetch) => createGoogle({ ...must, fetch }),
    (fetch) => createGoogle({ ...common, baseUrl: undefined, vertex: undefined, ...must, fetch }),
  ],
  [
    'ollama',
    (fetch) => createOllama({ ...must, fetch }),
    (fetch) => createOllama({ ...common, baseUrl: undefined, ...must, fetch }),
  ],
  [
    'openai-compatible',
    (fetch) => createOpenAICompatible({ ...must, baseUrl: 'http://localhost:7/v1', fetch }),
    (fetch) =>
      createOpenAICompatible({
        ...common,
        name: undefined,
        quirks: undefined,
        ...must,
        baseUrl: 'http://localhost:7/v1',
        fetch,
      }),
  ],
]

const call = {
  signal: undefined,
  deadlineMs: undefined,
  retry: { attempts: 1, onRetry: undefined },
}

test.each(cases)(
  '%s treats a field that is undefined as one that is missing',
  async (_name, plain, withUndefined) => {
    const [one, other] = [recordingFetch(), recordingFetch()]
    const providers = [plain(one.fetch), withUndefined(other.fetch)] as const
    for (const provider of providers) await provider.complete('Hi', call).catch(() => undefined)
    expect(one.requests).toHaveLength(1)
    expect(other.requests.map(({ url, body }) => ({ url, body }))).toEqual(
      one.requests.map(({ url, body }) => ({ url, body })),
    )
    expect(providers[1].cheapestModel).toBe(providers[0].cheapestModel)
    expect(providers[1].estimateTokens('some text')).toBe(providers[0].estimateTokens('some text'))
  },
)

test('configurations, contexts and fallbacks take undefined for what is unset', async () => {
  const recorder = recordingFetch()
  const config: ModelConfig = {
    provider: 'ollama',
    model: 'llama3.2',
    apiKeyEnv: undefined,
    baseUrl: undefined,
    fallback: undefined,
    fallbackOptions: { codes: undefined, coolDownMs: undefined, attempts: undefined },
    profile: undefined,
    package: undefined,
    fetch: recorder.fetch,
  }
  const context = {
    environment: emptyEnvironment,
    environmentPrefix: undefined,
    table: undefined,
    onSwitch: undefined,
  }
  const provider = await newProvider(config, context)
  const options = {
    name: undefined,
    codes: undefined,
    attempts: undefined,
    onSwitch: undefined,
    now: undefined,
  }
  await createFallback([provider], options)
    .complete('Hi', call)
    .catch(() => undefined)
  expect(recorder.urls).toEqual(['http://localhost:11434/api/chat'])
})
