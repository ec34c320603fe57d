import {
  AgentHost,
  addArtifact,
  addMessage,
  answerOf,
  createAgent,
  createArtifact,
  createLocalClient,
  createMemoryStore,
  createMessage,
  createPart,
  createTask,
  executeTask,
  isInterrupted,
  updateState,
} from '@modelport/agent'
import { LlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool, OutcomeUnknown } from '@modelport/runtime'
import { describe, expect, it } from 'vitest'
import { stateHistory } from '../../src/models/task.js'

const card = { name: 'echo', description: 'Repeats' }
const echo = defineTool({
  name: 'echo',
  description: 'Repeats its arguments',
  parameters: {
    type: 'object',
    properties: { message: { type: 'string' } },
    required: ['message'],
  },
  execute: (args) => args,
})
const call = (tool: string, args = {}) =>
  createTask(createMessage('user', [createPart.toolCall(tool, args)]))

describe('executeTask', () => {
  it('executeTask executes an explicit tool call and completes with its output as an artifact', async () => {
    const done = await executeTask(
      createAgent({ card, tools: [echo] }),
      call('echo', { message: 'hello' }),
    )
    expect(done.state).toBe('completed')
    expect(done.artifacts.at(-1)?.parts).toMatchObject([
      { type: 'tool_output', content: { result: { message: 'hello' }, toolName: 'echo' } },
    ])
    expect(stateHistory(done).map(({ new_state: state }) => state)).toEqual([
      'working',
      'completed',
    ])
  })

  it('executeTask fails the task when the tool does not exist', async () => {
    const done = await executeTask(createAgent({ card, tools: [echo] }), call('missing'))
    expect(done.state).toBe('failed')
    expect(done.metadata['error']).toBe("Tool 'missing' not found")
  })

  it('executeTask fails the task when the arguments are wrong, and names the field', async () => {
    const done = await executeTask(
      createAgent({ card, tools: [echo] }),
      call('echo', { message: 7 }),
    )
    expect(done.metadata['error']).toContain('message')
  })

  it.each([
    ['declined', new Error('declined'), 'declined'],
    [
      'lost',
      new TypeError('fetch failed', {
        cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      }),
      'unknown',
    ],
    ['unclear', new OutcomeUnknown('the receiver answered 500'), 'unknown'],
  ])('the user reads why a call of the message failed: %s', async (_, error, text) => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: { type: 'object', properties: {} },
      execute: () => {
        throw error
      },
    })
    for (const provider of [undefined, createMock({ defaultResponse: 'never asked' })]) {
      const done = await executeTask(createAgent({ card, tools: [pay], provider }), call('pay'))
      expect([done.state, answerOf(done)]).toEqual(['failed', expect.stringContaining(text)])
      expect(answerOf(done)).not.toContain('send the message again')
    }
  })

  it('executeTask refuses to call a tool that the card does not show', async () => {
    const done = await executeTask(
      createAgent({ card, tools: [echo], expose: [] }),
      call('echo', { message: 'x' }),
    )
    expect(done.metadata['error']).toBe("Tool 'echo' not found")
  })

  it('executeTask runs the model on text and completes with its reply as the artifact', async () => {
    const provider = createMock({ responses: ['It is sunny'] })
    const done = await executeTask(
      createAgent({ card, provider }),
      createTask('How is the weather?'),
    )
    expect(done.state).toBe('completed')
    expect(done.artifacts).toMatchObject([
      { id: 'answer', kind: 'answer', parts: [{ content: 'It is sunny' }] },
    ])
    expect(done.messages.map(({ role }) => role)).toEqual(['user', 'agent'])
  })

  it('executeTask asks the model for all infer parts at once, and holds it to their schema', async () => {
    const provider = createMock({ responses: ['{"sum":"two"}', '{"sum":2}'] })
    const outputSchema = {
      type: 'object',
      properties: { sum: { type: 'integer' } },
      required: ['sum'],
    }
    const asked = [
      createPart.infer({ prompt: 'Add', user: 'Ann', outputSchema }),
      createPart.infer({ prompt: '1 and 1' }),
    ]
    const done = await executeTask(
      createAgent({ card, provider }),
      createTask(createMessage('user', asked)),
    )
    expect(provider.requests[0]?.messages.at(-1)).toMatchObject({
      role: 'user',
      content: 'Ann\n\nAdd\n\n1 and 1',
    })
    expect(provider.requests).toHaveLength(2)
    expect(done.artifacts).toMatchObject([
      { id: 'answer', parts: [{ type: 'text', content: '{"sum":2}' }] },
    ])
  })

  it('executeTask lets the model call tools, and a failing tool does not fail the task', async () => {
    const provider = createMock({
      responses: [{ toolCalls: [{ name: 'echo', arguments: { message: 7 } }] }, 'I could not'],
    })
    const done = await executeTask(
      createAgent({ card, provider, tools: [echo] }),
      createTask('Echo 7'),
    )
    expect(done.state).toBe('completed')
  })

  it('executeTask fails with the class of a failed model call, without its details', async () => {
    const provider = createMock({ responses: [{ error: 'auth' }] })
    const done = await executeTask(createAgent({ card, provider }), createTask('x'))
    expect(done.metadata['error']).toBe(
      'The model call failed: auth; the operator of the agent reads why',
    )
  })

  it('executeTask tells the operator which task failed, why and at which host, and the caller none of it', async () => {
    const failure = Object.assign(
      new LlmError('network', 'mock: network (refused): nothing listens'),
      { host: 'm:1' },
    )
    const provider = createMock({ responses: [{ error: failure }] })
    const failures: unknown[] = []
    const host = new AgentHost([createAgent({ card, provider })], {
      onError: (error) => failures.push(error),
    })
    const { task, before } = await host.send({
      agent: 'echo',
      principal: 'p',
      message: createMessage('user', 'x'),
    })
    const done = await host.settled({ principal: 'p', id: task.id }, before)
    expect(done.metadata['error']).toMatch(/^The model call failed: network; (?!.*m:1)/)
    expect(String(failures)).toBe(
      `Error: task ${task.id} of agent "echo" failed (network, m:1): mock: network (refused): nothing listens`,
    )
  })

  it('executeTask says what was wrong with the last reply of a model that cannot keep to its form', async () => {
    const provider = createMock({ defaultResponse: '{"type":"nonsense"}' })
    const agent = createAgent({ card, provider, tools: [echo], mode: 'json' })
    const done = await executeTask(agent, createTask('x'))
    expect(done.metadata['error']).toContain('The last one: ')
  })

  it('executeTask runs a handler: deltas, artifacts, replies, questions, refusals and errors', async () => {
    const agent = createAgent({
      card,
      handler: async ({ input, delta, progress, say }) => {
        if (input === 'ask') return { state: 'input-required', message: 'Which city?' }
        if (input === 'refuse') return { state: 'rejected', message: 'I do not do that' }
        if (input === 'throw') throw new Error('with a secret')
        await progress(50)
        await say('half way')
        await delta('He')
        await delta('llo')
        return 'Hello'
      },
    })
    const run = async (text: string) => executeTask(agent, createTask(text))
    const done = await run('go')
    expect(done).toMatchObject({
      state: 'completed',
      artifacts: [{ id: 'answer', parts: [{ content: 'Hello' }] }],
    })
    expect(isInterrupted((await run('ask')).state)).toBe(true)
    expect((await run('refuse')).state).toBe('rejected')
    const failed = await run('throw')
    expect(failed.state).toBe('failed')
    expect(JSON.stringify(failed)).not.toContain('secret')
  })

  it.each([
    [createPart.error('quota', 'No more'), 'failed', 'No more'],
    [createPart.status('input-required', 'Which city?'), 'input-required', 'Which city?'],
    [createPart.status('auth-required'), 'auth-required', 'so far'],
    [createPart.status('rejected', 'Not I'), 'rejected', 'Not I'],
  ])(
    'executeTask ends in the state of the part that a handler returns: %j',
    async (part, state, text) => {
      const agent = createAgent({ card, handler: () => [part, createPart.text('so far')] })
      const ended = await executeTask(agent, createTask('go'))
      expect(ended).toMatchObject({ state, artifacts: [] })
      expect(ended.statusMessage?.parts[0]).toEqual(createPart.text(text))
      expect(ended.statusMessage?.parts.at(-1)).toEqual(createPart.text('so far'))
      expect(ended.metadata['error']).toBe(state === 'failed' ? 'No more\nso far' : undefined)
    },
  )

  it('executeTask treats a status part with another state as a part of the reply', async () => {
    const agent = createAgent({ card, handler: () => [createPart.status('working', 'Half way')] })
    expect(await executeTask(agent, createTask('go'))).toMatchObject({
      state: 'completed',
      artifacts: [{ id: 'answer' }],
    })
  })

  it('executeTask rejects a message for a model if the agent has no model', async () => {
    const idle = defineTool({ name: 'idle', description: 'Does nothing', execute: () => 'done' })
    expect(
      (await executeTask(createAgent({ card, tools: [idle] }), createTask('hello'))).state,
    ).toBe('rejected')
  })

  it('executeTask cancels the task, its run and its tools when the signal aborts', async () => {
    const controller = new AbortController()
    let isAborted = false
    const slow = defineTool({
      name: 'slow',
      description: 'Waits',
      execute: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            isAborted = true
            resolve('stopped')
          })
          controller.abort()
        }),
    })
    const done = await executeTask(createAgent({ card, tools: [slow] }), call('slow'), {
      signal: controller.signal,
    })
    expect(done.state).toBe('cancelled')
    expect(isAborted).toBe(true)
  })

  it('executeTask takes a task that is working or waits for input, and refuses one that is over', async () => {
    const provider = createMock({ responses: ['Sunny.', 'Rainy.'] })
    const agent = createAgent({ card, provider })
    expect((await executeTask(agent, updateState(createTask('x'), 'working'))).state).toBe(
      'completed',
    )
    const working = updateState(createTask('Weather?'), 'working')
    const asking = addMessage(
      updateState(working, 'input-required'),
      createMessage('agent', 'Where?'),
    )
    const done = await executeTask(agent, addMessage(asking, createMessage('user', 'Rome')))
    expect(done.messages.map(({ parts: [part] }) => part?.content)).toEqual([
      'Weather?',
      'Where?',
      'Rome',
      'Rainy.',
    ])
    await expect(executeTask(agent, done)).rejects.toThrow(
      'The task is completed; executeTask takes tasks that are not',
    )
  })

  it('executeTask and the local client are one principal: each continues the conversation of the other', async () => {
    const store = createMemoryStore()
    const provider = createMock({ responses: ['One.', 'Two.', 'Three.'] })
    const agent = createAgent({ card, provider })
    const first = { ...createTask('first'), sessionId: 's' }
    await executeTask(agent, first, { store })
    await createLocalClient(agent, { store }).send('second', { sessionId: 's' })
    await executeTask(agent, { ...createTask('third'), sessionId: 's' }, { store })
    expect(provider.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
      'first',
      'One.',
      'second',
      'Two.',
      'third',
    ])
  })

  it('executeTask works on an artifact that is newer than the newest message, and keeps it', async () => {
    const task = { ...createTask('x'), state: 'working' as const }
    // What was added last is the newest, also in the same millisecond.
    const timestamp = task.messages[0]?.timestamp as string
    const made = createArtifact([createPart.toolCall('echo', { message: 'hi' })], { timestamp })
    const done = await executeTask(createAgent({ card, tools: [echo] }), addArtifact(task, made))
    expect(done.artifacts.map(({ parts: [part] }) => part?.type)).toEqual([
      'tool_call',
      'tool_output',
    ])
    expect(done.messages[0]?.parts).toMatchObject([{ content: 'x' }])
  })
})
