import { fromLanguageModel, toLanguageModel } from '@modelport/ai-sdk'
import { conformance, openaiChat } from '@modelport/conformance'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { describe, test } from 'vitest'
import { atSize } from '../../../../test/support/faults.js'
import { apiKey, ofSpecification } from './packages.js'

conformance(
  { describe, test, everyNthByte: atSize(64, 1) },
  {
    name: 'there and back',
    format: openaiChat,
    apiKey,
    skip: ofSpecification,
    // The inner provider has the connection, the outer one the options.
    create: ({ fetch, enforceHosts, proxy, onResponse, lenientEof, defaults, ...config }) => {
      const connection = { fetch, enforceHosts, proxy, onResponse, lenientEof }
      const given = {
        model: 'm',
        baseUrl: 'https://conformance.test/v1',
        apiKey,
        ...config,
        ...connection,
      }
      return fromLanguageModel(toLanguageModel(createOpenAICompatible(given)), {
        defaults,
        secrets: [apiKey],
        ...config,
      })
    },
  },
)
