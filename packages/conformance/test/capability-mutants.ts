import type { CapabilityHarness } from '@modelport/conformance'
import { isLlmError, LlmError } from '@modelport/core'
import { callEcho, echoHarness } from './reference-capability.js'
import { apiKey } from './reference-driver.js'

/** Capabilities that break one rule each: the rule, and the capability. */
export const capabilityMutants: Readonly<Record<string, readonly [rule: string, harness: CapabilityHarness]>> = {
  'turns the words around': [
    'M1',
    echoHarness(async (...parameters) => {
      const { words } = (await callEcho(...parameters)) as { readonly words: readonly string[] }
      return { words: [...words].reverse() }
    }),
  ],
  'asks twice': [
    'M2',
    echoHarness(async (...parameters) => {
      await callEcho(...parameters)
      return callEcho(...parameters)
    }),
  ],
  'drops vendor fields': [
    'M2',
    echoHarness((client, text, { vendor: _, ...options }, config) => callEcho(client, text, options, config)),
  ],
  'ignores what it cannot say': ['M2', echoHarness(callEcho, ({ call }) => ({ unsupported: { 'a song': call } }))],
  'sends an empty text': ['M2', echoHarness(callEcho, ({ call }) => ({ invalid: { 'an empty text': call } }))],
  'never tries again': [
    'M3',
    echoHarness((client, text, options, config) =>
      callEcho(client, text, { ...options, retry: { attempts: 1 } }, config),
    ),
  ],
  'ignores its signal and its deadline': [
    'M4',
    echoHarness((client, text, { vendor, retry }, config) =>
      callEcho(client, text, { ...(vendor && { vendor }), ...(retry && { retry }) }, config),
    ),
  ],
  'takes a failure for an empty result': [
    'M5',
    echoHarness((...parameters) =>
      callEcho(...parameters).catch((error: unknown) => {
        if (isLlmError(error, 'truncated')) return { words: [] }
        throw error
      }),
    ),
  ],
  'names the key in its failures': [
    'M6',
    echoHarness((...parameters) =>
      callEcho(...parameters).catch((error: unknown) => {
        throw new LlmError('unknown', `the call with ${apiKey} failed`, { cause: error })
      }),
    ),
  ],
}
