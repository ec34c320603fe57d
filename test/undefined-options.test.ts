import { answerOf, createAgent } from '@modelport/agent'
import { createDialogCaller } from '@modelport/dialog'
import { createMock } from '@modelport/provider-mock'
import { createAgentClient, createAgentServer } from '@modelport/serve'
import { createStudio } from '@modelport/studio'
import { expect, test } from 'vitest'

const mock = () =>
  createMock({
    responses: undefined,
    defaultResponse: 'Hi',
    model: undefined,
    capabilities: undefined,
    chunkSize: undefined,
    delayMs: undefined,
    usage: undefined,
  })

test('a mock, an agent and its server accept undefined for every option that is optional', async () => {
  const agent = createAgent({
    card: { name: 'weather', description: 'The weather' },
    provider: mock(),
    tools: undefined,
    agents: undefined,
    system: undefined,
    mode: undefined,
    capabilities: undefined,
    profile: undefined,
    limits: undefined,
    budget: undefined,
    compaction: undefined,
    outputSchema: undefined,
    options: undefined,
    policy: undefined,
    decisions: undefined,
    expose: undefined,
    maxConcurrency: undefined,
    maxQueue: undefined,
    whenWaiting: undefined,
    timeoutMs: undefined,
    extendedCard: undefined,
  })
  const server = createAgentServer([agent], {
    url: 'http://127.0.0.1:1',
    store: undefined,
    authentication: undefined,
    allowedHosts: undefined,
    allowedOrigins: undefined,
    maxBodyBytes: undefined,
    streams: undefined,
    wires: undefined,
    entropy: undefined,
    onError: undefined,
    onRefusal: undefined,
  })
  const client = createAgentClient('http://127.0.0.1:1', {
    auth: undefined,
    fetch: (input, init) => server.fetch(new Request(input, init)),
    idleMs: undefined,
    maxReconnects: undefined,
    reconnectMs: undefined,
    maxBytes: undefined,
    binding: undefined,
  })
  expect(answerOf(await client.send('Hello'))).toBe('Hi')
  await server.close()
})

test('a dialog caller and a studio accept undefined for every option that is optional', async () => {
  const caller = createDialogCaller({
    name: 'weather',
    provider: mock(),
    system: undefined,
    limits: undefined,
    options: undefined,
    budget: undefined,
    card: undefined,
    capabilities: undefined,
    mode: undefined,
    authorize: undefined,
    policyVersion: undefined,
    agents: undefined,
    compaction: undefined,
    apiType: undefined,
    reports: undefined,
    recallDelayMs: undefined,
  })
  expect(
    (await caller.call(caller.open().send('Hello'), { signal: undefined, deadlineMs: undefined }))
      .value,
  ).toBe('Hi')
  const studio = createStudio({
    models: [],
    assets: {},
    tools: undefined,
    sources: undefined,
    agents: undefined,
    store: undefined,
    hosts: undefined,
    allowLists: undefined,
    doctor: undefined,
    openCassette: undefined,
    maxRuns: undefined,
  })
  expect(studio).toBeDefined()
  await studio.close()
})
