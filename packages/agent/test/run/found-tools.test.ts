import { createAgent, createTask, executeTask } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { expect, test } from 'vitest'

test('the model of an agent finds a deferred tool, and reads on in its long result', async () => {
  const log = defineTool({
    name: 'read_log',
    description: 'Reads the log of a server',
    deferred: true,
    execute: () => `${'ok\n'.repeat(2000)}disk full`,
  })
  const call = (name: string, args: Record<string, unknown> = {}) => ({
    toolCalls: [{ name, arguments: args }],
  })
  const provider = createMock({
    defaultResponse: ({ messages }) => {
      const text = JSON.stringify(messages)
      const id = /read_result with the id \W+([0-9a-f]{8})/.exec(text)?.[1]
      if (text.includes('[offset ')) return 'The disk is full.'
      if (id) return call('read_result', { id, search: 'full' })
      return text.includes('These tools')
        ? call('read_log')
        : call('find_tools', { query: 'server log' })
    },
  })
  const card = { name: 'operator', description: 'Looks after servers' }
  const agent = createAgent({ card, provider, tools: [log], limits: { maxResultLength: 1000 } })
  const done = await executeTask(agent, createTask('What is wrong?'))
  expect(done.state).toBe('completed')
  expect(done.artifacts.at(-1)?.parts).toMatchObject([{ content: 'The disk is full.' }])
})
