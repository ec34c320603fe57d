import { conformance } from '@modelport/conformance'
import { anthropicMessages, anthropicVertex } from '@modelport/test-formats'
import { wireRunner } from '../../../test/support/faults.js'
import { createAnthropic } from '../src/index.js'

const apiKey = 'sk-ant-conformance-0123456789abcdef'

conformance(wireRunner, {
  name: 'anthropic',
  format: anthropicMessages,
  apiKey,
  create: (config) =>
    createAnthropic({
      model: 'claude-sonnet-4-5',
      apiKey,
      baseUrl: 'https://conformance.test',
      ...config,
    }),
})

conformance(wireRunner, {
  name: 'anthropic in Amazon Bedrock',
  format: anthropicMessages,
  apiKey,
  create: (config) =>
    createAnthropic({
      ...{ model: 'anthropic.claude-sonnet-4-5', apiKey, cloud: 'bedrock' },
      ...{ baseUrl: 'https://conformance.test/anthropic', ...config },
    }),
})

conformance(wireRunner, {
  name: 'anthropic in Microsoft Foundry',
  format: anthropicMessages,
  apiKey,
  create: (config) =>
    createAnthropic({
      ...{ model: 'claude-sonnet-4-5', apiKey, cloud: 'foundry' },
      ...{ baseUrl: 'https://conformance.test/anthropic', ...config },
    }),
})

conformance(wireRunner, {
  name: 'anthropic on Vertex AI',
  format: anthropicVertex,
  apiKey,
  create: (config) =>
    createAnthropic({
      ...{
        model: 'claude-sonnet-4-5@20250929',
        vertex: { project: 'p', accessToken: () => apiKey },
      },
      ...{ baseUrl: 'https://conformance.test', ...config },
    }),
})
