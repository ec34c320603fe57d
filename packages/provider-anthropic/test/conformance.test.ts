import { conformance } from '@modelport/conformance'
import { anthropicMessages } from '@modelport/test-formats'
import { faultRunner } from '../../../test/support/faults.js'
import { createAnthropic } from '../src/index.js'

const apiKey = 'sk-ant-conformance-0123456789abcdef'

conformance(faultRunner, {
  name: 'anthropic',
  format: anthropicMessages,
  apiKey,
  create: (config) =>
    createAnthropic({ model: 'claude-sonnet-4-5', apiKey, baseUrl: 'https://conformance.test', ...config }),
})
