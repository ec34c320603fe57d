import { createAgent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { expect, test } from 'vitest'
import { createAgentClient, createAgentServer } from '../src/index.js'
import { serve } from '../src/node.js'

const card = { name: 'weather', description: 'The weather' }
const agent = createAgent({ card, handler: () => 'warm' })

test.each<[string, (more: object) => unknown, object, string]>([
  [
    'createAgent',
    (more) => createAgent({ card, ...more }),
    { store: 1 },
    'unknown setting "store"',
  ],
  [
    'createAgent',
    (more) => createAgent({ card, provider: createMock({ responses: ['x'] }), ...more }),
    { maxTokens: 1 },
    'unknown setting "maxTokens"; set options.maxTokens',
  ],
  [
    'createAgent: options',
    (more) => createAgent({ card, options: more }),
    { maxOutputTokens: 1 },
    'unknown setting "maxOutputTokens"; did you mean "maxTokens"?',
  ],
  [
    'createAgentServer',
    (more) => createAgentServer([agent], more),
    { allowedOrigin: [] },
    'unknown setting "allowedOrigin"; did you mean "allowedOrigins"?',
  ],
  [
    'createAgentClient',
    (more) => createAgentClient('http://127.0.0.1:9', more),
    { idle: 1 },
    'unknown setting "idle"; did you mean "idleMs"?',
  ],
])('%s refuses a setting that nothing reads', (where, make, more, message) => {
  expect(() => make(more)).toThrow(TypeError)
  expect(() => make(more)).toThrow(`${where}: ${message}`)
})

test('serve refuses a setting that nothing reads before it listens', async () => {
  await expect(serve([agent], { host: '127.0.0.1' } as object)).rejects.toThrow(
    'serve: unknown setting "host"; known: ',
  )
})
