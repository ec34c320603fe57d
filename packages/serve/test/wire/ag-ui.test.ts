import { verifyEvents } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import { type ClientEvent, createAgent, createPart } from '@modelport/agent'
import { createMock, type MockResponse } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { createAgentClient, toAgUiTaskEvents } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { from, lastValueFrom, toArray } from 'rxjs'
import { describe, expect, test } from 'vitest'

const pay = defineTool({ name: 'pay', description: 'Pays', execute: () => 'paid' })

const all = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = []
  for await (const one of source) list.push(one)
  return list
}

/** What a client reads of a served agent. */
async function eventsOf(...responses: MockResponse[]): Promise<ClientEvent[]> {
  const agent = await serve([
    createAgent({
      card: { name: 'bank', description: 'Pays', capabilities: { streaming: true } },
      provider: createMock({ responses, defaults: { retry: { attempts: 1 } } }),
      tools: [pay],
      policy: { rules: { 'tool.pay': 'require-approval' } },
    }),
  ])
  try {
    return await all(createAgentClient(agent.url).stream([createPart.text('Pay')]))
  } finally {
    await agent.close()
  }
}

const tasks: readonly [string, MockResponse][] = [
  ['that answers', { text: ['It ', 'is ', 'paid.'] }],
  ['that waits for approval', { toolCalls: [{ name: 'pay', arguments: {} }] }],
  ['that fails', { error: 'auth' }],
]

describe.each(tasks)('a task %s', (_name, response) => {
  test('a task is written as events that the client of AG-UI accepts', async () => {
    const events = await eventsOf(response)
    const written = await all(toAgUiTaskEvents(events))
    const parsed = written.map((one) => EventSchemas.parse(one))
    const verified = await lastValueFrom(verifyEvents(false)(from(parsed as never[])).pipe(toArray()))
    expect(verified).toHaveLength(written.length)
  })
})

test('what a tool yields is progress of the task, for a client of A2A and as an activity', async () => {
  const agent = await serve([
    createAgent({
      card: { name: 'baker', description: 'Bakes', capabilities: { streaming: true } },
      provider: createMock({ responses: [{ toolCalls: [{ name: 'bake', arguments: {} }] }, 'Baked.'] }),
      tools: [
        defineTool({
          name: 'bake',
          description: 'Bakes',
          async *execute() {
            for (const value of [{ percent: 50, message: 'half' }, 'nearly', { trays: 2 }]) {
              yield value
              await new Promise((resolve) => setTimeout(resolve, 80))
            }
            return 'bread'
          },
        }),
      ],
    }),
  ])
  try {
    const events = await all(createAgentClient(agent.url).stream([createPart.text('Bake')]))
    expect(events.filter(({ type }) => type === 'progress')).toEqual([
      { type: 'progress', percent: 50, message: 'half' },
      { type: 'progress', message: 'nearly' },
      { type: 'progress', message: '{"trays":2}' },
    ])
    const shown = (await all(toAgUiTaskEvents(events))).filter(({ type }) => type === 'ACTIVITY_SNAPSHOT')
    expect(shown.map(({ content }) => content)).toContainEqual({ percent: 50, message: 'half' })
  } finally {
    await agent.close()
  }
})

test('a reply becomes one message with all of its text, and the end a success', async () => {
  const written = await all(toAgUiTaskEvents(await eventsOf({ text: ['It ', 'is ', 'paid.'] })))
  const texts = written.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT').map(({ delta }) => delta)
  expect(texts.join('')).toBe('It is paid.')
  expect(written.filter(({ type }) => type === 'TEXT_MESSAGE_START')).toHaveLength(1)
  expect(written.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
})

test('an approval becomes an interrupt, and a failure an error of the run', async () => {
  const waiting = await all(toAgUiTaskEvents(await eventsOf({ toolCalls: [{ name: 'pay', arguments: {} }] })))
  expect(waiting.at(-1)).toMatchObject({
    type: 'RUN_FINISHED',
    outcome: {
      type: 'interrupt',
      interrupts: [{ reason: 'approval', metadata: { digest: expect.stringMatching(/^[\da-f]{64}$/) as string } }],
    },
  })
  const failed = await all(toAgUiTaskEvents(await eventsOf({ error: 'auth' })))
  expect(failed.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'failed' })
})

test('text that begins anew becomes another message, and progress an activity', async () => {
  const events: ClientEvent[] = [
    { type: 'text-delta', text: 'Wro', first: true },
    { type: 'progress', percent: 50, message: 'half' },
    { type: 'text-delta', text: 'Right', first: true },
    { type: 'status', state: 'completed' },
  ]
  const written = await all(toAgUiTaskEvents(events))
  expect(written.map(({ type }) => type)).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'ACTIVITY_SNAPSHOT',
    'TEXT_MESSAGE_END',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT',
    'CUSTOM',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ])
  for (const one of written) expect(EventSchemas.parse(one)).toMatchObject({ type: one.type })
})
