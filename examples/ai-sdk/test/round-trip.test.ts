import { conformance, openaiChat } from '@modelport/conformance'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { describe, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import { fromLanguageModel, toLanguageModel } from '../src/index.ts'
import { specificationSkips } from './skips.js'

const apiKey = 'ai-sdk-conformance-0123456789abcdef'

conformance(
  { describe, test, everyNthByte: atSize(64, 1) },
  {
    name: 'there and back',
    format: openaiChat,
    apiKey,
    skip: specificationSkips,
    // The inner provider has the connection, the outer one the options.
    create: ({ fetch, enforceHosts, proxy, onResponse, lenientEof, defaults, ...config }) => {
      const connection = { fetch, enforceHosts, proxy, onResponse, lenientEof }
      const given = { model: 'm', baseUrl: 'https://conformance.test/v1', apiKey, ...config, ...connection }
      return fromLanguageModel(toLanguageModel(createOpenAICompatible(given)), {
        defaults,
        secrets: [apiKey],
        ...config,
      })
    },
  },
)
