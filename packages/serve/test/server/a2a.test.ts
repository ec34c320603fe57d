/* oxlint-disable typescript/no-explicit-any -- responses are JSON of any shape */
import { createAgent, createArtifact, createMessage } from '@modelport/agent'
import { createAgentServer } from '@modelport/serve'
import { describe, expect, it, vi } from 'vitest'
import { base, clientOf, echoAgent, eventsOf, say, testServer } from './support.js'

const extensionUri = 'https://modelport.dev/a2a/ext/v1'

const reasonOf = (body: { error?: { data: { reason?: string }[] } }) =>
  body.error?.data.find(({ reason }) => reason)?.reason

describe('SendMessage', () => {
  it('SendMessage waits for the end of the task by default and returns it with the reply as an artifact', async () => {
    const { rpc } = testServer()
    const { result } = await rpc('SendMessage', say('hi'))
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED')
    expect(result.task.artifacts[0].parts).toEqual([{ text: 'You said: hi' }])
    expect(result.task.contextId).toBeTruthy()
    expect(result.task.status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('SendMessage returns at once with returnImmediately, and the task continues', async () => {
    const { rpc } = testServer()
    const { result } = await rpc('SendMessage', {
      ...say('wait'),
      configuration: { returnImmediately: true },
    })
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(result.task.status.state)
    expect((await rpc('CancelTask', { id: result.task.id })).result.status.state).toBe(
      'TASK_STATE_CANCELED',
    )
  })

  it('SendMessage continues a task that waits for input, infers its context, and keeps its history', async () => {
    const { rpc } = testServer()
    const asked = (await rpc('SendMessage', say('ask'))).result.task
    expect(asked.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { parts: [{ text: 'Which city?' }] },
    })
    const done = (await rpc('SendMessage', say('Rome', { taskId: asked.id }))).result.task
    expect(done).toMatchObject({
      id: asked.id,
      contextId: asked.contextId,
      status: { state: 'TASK_STATE_COMPLETED' },
    })
    expect(done.history.map(({ parts }: any) => parts[0].text)).toEqual([
      'ask',
      'Which city?',
      'Rome',
      'You said: Rome',
    ])
  })

  it('SendMessage accepts messages for a task that waits for authorization', async () => {
    const { rpc } = testServer()
    const asked = (await rpc('SendMessage', say('auth'))).result.task
    expect(asked.status.state).toBe('TASK_STATE_AUTH_REQUIRED')
    expect(
      (await rpc('SendMessage', say('done', { taskId: asked.id }))).result.task.status.state,
    ).toBe('TASK_STATE_COMPLETED')
  })

  it('SendMessage refuses unknown tasks, mismatching contexts and tasks that are over', async () => {
    const { rpc } = testServer()
    expect((await rpc('SendMessage', say('x', { taskId: 'none' }))).error?.code).toBe(-32001)
    const asked = (await rpc('SendMessage', say('ask'))).result.task
    expect(
      (await rpc('SendMessage', say('x', { taskId: asked.id, contextId: 'other' }))).error?.code,
    ).toBe(-32602)
    const { task } = (await rpc('SendMessage', say('hi'))).result
    const refused = await rpc('SendMessage', say('x', { taskId: task.id }))
    expect([refused.error?.code, reasonOf(refused)]).toEqual([-32004, 'UNSUPPORTED_OPERATION'])
  })

  it('SendMessage keeps a context that the client names, and a new task there supersedes one that waits', async () => {
    const { rpc } = testServer()
    const first = (await rpc('SendMessage', say('ask', { contextId: 'mine' }))).result.task
    const second = (await rpc('SendMessage', say('hi', { contextId: 'mine' }))).result.task
    expect(second.contextId).toBe('mine')
    expect((await rpc('GetTask', { id: first.id })).result.status.state).toBe('TASK_STATE_CANCELED')
  })

  it('SendMessage gives a caller without our extension the same task for a message that arrives again while it is worked on, and a new one after its end', async () => {
    const { rpc } = testServer()
    const message = {
      ...say('wait', { messageId: 'm-1' }),
      configuration: { returnImmediately: true },
    }
    const [first, second] = await Promise.all([
      rpc('SendMessage', message),
      rpc('SendMessage', message),
    ])
    const { id } = first.result.task
    expect(second.result.task.id).toBe(id)
    await rpc('CancelTask', { id })
    const again = (await rpc('SendMessage', message)).result.task
    expect(again.id).not.toBe(id)
    const asked = (await rpc('SendMessage', message, { 'a2a-extensions': extensionUri })).result
      .task
    expect(asked.id).toBe(again.id)
    await rpc('CancelTask', { id: again.id })
  })

  it('SendMessage takes an id that a caller without our extension uses again for a new message, whatever the state of the task before', async () => {
    const { rpc } = testServer()
    const send = async (text: string, fields: object = {}) =>
      (await rpc('SendMessage', say(text, { messageId: 'tck-1', ...fields }))).result.task
    const hi = await send('hi')
    expect(hi.status.state).toBe('TASK_STATE_COMPLETED')
    const again = await send('hi')
    expect([again.id === hi.id, again.status.state]).toEqual([false, 'TASK_STATE_COMPLETED'])
    const asked = await send('ask')
    expect([asked.id === again.id, asked.status.state]).toEqual([
      false,
      'TASK_STATE_INPUT_REQUIRED',
    ])
    const answered = await send('Rome', { taskId: asked.id, contextId: asked.contextId })
    expect([answered.id, answered.status.state]).toEqual([asked.id, 'TASK_STATE_COMPLETED'])
    expect(answered.artifacts[0].parts[0].text).toBe('You said: Rome')
    const over = await rpc('SendMessage', say('more', { messageId: 'tck-1', taskId: asked.id }))
    expect(over.error?.code).toBe(-32004)
    const waiting = { configuration: { returnImmediately: true } }
    const one = (await rpc('SendMessage', { ...say('wait', { messageId: 'tck-1' }), ...waiting }))
      .result
    const other = (await rpc('SendMessage', { ...say('hi', { messageId: 'tck-1' }), ...waiting }))
      .result
    expect(other.task.id).not.toBe(one.task.id)
    await rpc('CancelTask', { id: one.task.id })
  })

  it('SendMessage refuses a caller of our extension the id of an earlier message with another body, also within a task', async () => {
    const { request } = testServer()
    const headers = { 'a2a-extensions': extensionUri }
    const send = (text: string, fields: object) =>
      request('/message:send', { json: say(text, fields), headers })
    const { task } = await (await send('ask', { messageId: 'm-1' })).json()
    for (const fields of [{ messageId: 'm-1' }, { messageId: 'm-1', taskId: task.id }]) {
      const refused = await send('Rome', fields)
      expect([refused.status, (await refused.json()).error.message]).toEqual([
        409,
        'A message with this id was sent before with another body; use a new id',
      ])
    }
    const sameAgain = (await (await send('ask', { messageId: 'm-1', taskId: task.id })).json()).task
    expect([sameAgain.id, sameAgain.status.state]).toEqual([task.id, 'TASK_STATE_INPUT_REQUIRED'])
  })

  it('SendMessage gives the message of a handler that answers with one, and its task to whoever asks for the task', async () => {
    const { rpc } = testServer({}, [
      echoAgent({ handler: ({ input }) => createMessage('agent', `heard ${input}`) }),
    ])
    const { result } = await rpc('SendMessage', say('hi', { contextId: 'c1' }))
    expect(Object.keys(result)).toEqual(['message'])
    expect(result.message).toMatchObject({
      role: 'ROLE_AGENT',
      contextId: 'c1',
      parts: [{ text: 'heard hi' }],
    })
    const listed = (await rpc('ListTasks', { contextId: 'c1' })).result.tasks
    expect(listed).toMatchObject([{ status: { state: 'TASK_STATE_COMPLETED' } }])
    expect(listed[0]).not.toHaveProperty('metadata')
    const later = { ...say('later'), configuration: { returnImmediately: true } }
    expect(Object.keys((await rpc('SendMessage', later)).result)).toEqual(['task'])
  })

  it('SendMessage gives the metadata of our extension only to callers that name it', async () => {
    const { rpc, request } = testServer()
    expect(JSON.stringify(await rpc('SendMessage', say('hi')))).not.toContain(extensionUri)
    const streamed = await request('/message:stream', { json: say('slow') })
    expect(await streamed.text()).not.toContain(extensionUri)
    const { result } = await rpc('SendMessage', say('hi'), { 'a2a-extensions': extensionUri })
    expect(result.task.artifacts[0].metadata[extensionUri].kind).toBe('answer')
    expect(result.task.history[0].metadata[extensionUri].timestamp).toBeTruthy()
  })

  it('SendMessage returns the task when it is cancelled, even if its handler does not stop', async () => {
    let finish = () => {}
    const handler = () => new Promise<string>((resolve) => (finish = () => resolve('late')))
    const { rpc } = testServer({}, [echoAgent({ handler })])
    const sent = rpc('SendMessage', say('hi'))
    const firstId = async () => (await rpc('ListTasks')).result.tasks[0]?.id as string | undefined
    const id = await vi.waitUntil(firstId, { timeout: 60_000 })
    await rpc('CancelTask', { id })
    expect((await sent).result.task.status.state).toBe('TASK_STATE_CANCELED')
    finish()
  })

  it('SendMessage runs a message once for callers of our extension too', async () => {
    const { rpc } = testServer()
    const extension = { 'a2a-extensions': extensionUri }
    const message = say('hi', { messageId: 'm-1' })
    const [first, second] = await Promise.all(
      [1, 2].map(() => rpc('SendMessage', message, extension)),
    )
    expect(second?.result.task.id).toBe(first?.result.task.id)
    expect((await rpc('SendMessage', message, extension)).result.task.id).toBe(
      first?.result.task.id,
    )
    expect(
      (await rpc('SendMessage', say('other', { messageId: 'm-1' }), extension)).error?.code,
    ).toBe(-32602)
  })

  it.each([
    ['no message', {}, 'message'],
    ['no parts', say('x', { parts: [] }), 'message.parts'],
    ['no id', say('x', { messageId: undefined }), 'message.messageId'],
    ['an empty id', say('x', { messageId: '' }), 'message.messageId'],
    ['no role', say('x', { role: undefined }), 'message.role'],
    ['an unknown role', say('x', { role: 'ROLE_KING' }), 'message.role'],
    ['a part without content', say('x', { parts: [{}] }), 'message.parts.0'],
    ['a part with two contents', say('x', { parts: [{ text: 'a', url: 'b' }] }), 'message.parts.0'],
    ['base64 that is not', say('x', { parts: [{ raw: '###' }] }), 'message.parts.0.raw'],
    [
      'a negative history length',
      { ...say('x'), configuration: { historyLength: -1 } },
      'configuration.historyLength',
    ],
  ])('SendMessage refuses %s and names the field', async (_, params, field) => {
    const { rpc } = testServer()
    const { error } = await rpc('SendMessage', params)
    expect(error?.code).toBe(-32602)
    expect(error?.data).toContainEqual(
      expect.objectContaining({
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: expect.arrayContaining([expect.objectContaining({ field })]),
      }),
    )
  })

  it('SendMessage refuses media types that the agent does not take', async () => {
    const { rpc } = testServer()
    const part = { raw: 'AAAA', mediaType: 'application/x-evil' }
    expect((await rpc('SendMessage', say('x', { parts: [part] }))).error?.code).toBe(-32005)
  })

  it('SendMessage accepts both spellings of fields, null as unset, and ignores unknown fields', async () => {
    const { rpc } = testServer()
    const message = {
      message_id: 'a',
      role: 1,
      parts: [{ text: 'hi', metadata: null }],
      task_id: null,
      novel: 1,
    }
    expect((await rpc('SendMessage', { message })).result.task.status.state).toBe(
      'TASK_STATE_COMPLETED',
    )
  })

  it.each([
    ['fail', 'TASK_STATE_FAILED'],
    ['refuse', 'TASK_STATE_REJECTED'],
  ])('SendMessage ends as %s says', async (text, state) => {
    const { rpc } = testServer()
    expect((await rpc('SendMessage', say(text))).result.task.status.state).toBe(state)
  })
})

describe('streams', () => {
  it('streams begin with the task, keep the order, and close when the task is over', async () => {
    const { request } = testServer()
    const response = await request('/message:stream', { json: say('slow') })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = await eventsOf(response)
    expect(Object.keys(events[0])).toEqual(['task'])
    const updates = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? [])
    expect(updates.map(({ append, lastChunk }: any) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ])
    expect(updates.map(({ artifact }: any) => artifact.parts[0].text).join('')).toBe(
      'one two three',
    )
    expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED')
  })

  it('streams say lastChunk only of the answer that completes the task: another artifact may be appended to', async () => {
    const agent = createAgent({
      card: { name: 'writer', description: 'Writes' },
      handler: async ({ artifact }) => {
        await artifact(createArtifact('one', { id: 'draft' }))
        await artifact(createArtifact(' two', { id: 'draft' }), { append: true })
        await artifact(createArtifact('not yet', { id: 'answer' }))
        await artifact(createArtifact('done', { id: 'answer' }), { append: true })
        return 'done'
      },
    })
    const { request } = testServer({}, [agent])
    const events = await eventsOf(await request('/message:stream', { json: say('write') }))
    const updates = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? [])
    expect(
      updates.map(({ artifact, append, lastChunk }: any) => [
        artifact.artifactId,
        append,
        lastChunk,
      ]),
    ).toEqual([
      ['draft', false, false],
      ['draft', true, false],
      ['answer', false, false],
      ['answer', true, false],
      ['answer', false, true],
    ])
  })

  it('streams say no lastChunk of an answer that another message of the task follows', async () => {
    const reached = Promise.withResolvers<undefined>()
    const release = Promise.withResolvers<undefined>()
    const agent = createAgent({
      card: { name: 'writer', description: 'Writes' },
      handler: async ({ input }) => {
        reached.resolve(undefined)
        await release.promise
        return `You said: ${input}`
      },
    })
    const { request, rpc } = testServer({}, [agent])
    const stream = await request('/message:stream', { json: say('first') })
    await reached.promise
    const { tasks } = (await rpc('ListTasks', {})).result
    const second = say('second')
    const message = { ...second.message, taskId: tasks[0].id }
    await rpc('SendMessage', { message, configuration: { returnImmediately: true } })
    release.resolve(undefined)
    const updates = (await eventsOf(stream)).flatMap(({ artifactUpdate }) => artifactUpdate ?? [])
    expect(
      updates.map(({ artifact, lastChunk }: any) => [artifact.parts[0].text, lastChunk]),
    ).toEqual([
      ['You said: first', false],
      ['You said: second', true],
    ])
  })

  it('streams wrap each event in a JSON-RPC response with the id of the request', async () => {
    const { request } = testServer()
    const response = await request('/', {
      json: { jsonrpc: '2.0', id: 'abc', method: 'SendStreamingMessage', params: say('hi') },
    })
    for (const event of await eventsOf(response))
      expect(event).toMatchObject({ jsonrpc: '2.0', id: 'abc', result: {} })
  })

  it('streams give all subscribers the same events, and closing one leaves the others', async () => {
    const { request, rpc } = testServer()
    const { task } = (await rpc('SendMessage', { ...say('ask') })).result
    const [one, two, three] = await Promise.all(
      (['GET', 'POST', 'GET'] as const).map((method) =>
        request(`/tasks/${task.id}:subscribe`, { method }),
      ),
    )
    await three?.body?.cancel()
    await rpc('SendMessage', say('slow', { taskId: task.id }))
    const [first, second] = await Promise.all([
      eventsOf(one as Response),
      eventsOf(two as Response),
    ])
    expect(first).toEqual(second)
    expect(first[0].task.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    expect(first.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED')
  })

  it('streams refuse a task that is over or does not exist, as an error and not as a stream', async () => {
    const { request, rpc } = testServer()
    const { task } = (await rpc('SendMessage', say('hi'))).result
    const over = await request(`/tasks/${task.id}:subscribe`)
    expect([over.status, (await over.json()).error.details[0].reason]).toEqual([
      400,
      'UNSUPPORTED_OPERATION',
    ])
    expect((await request('/tasks/none:subscribe')).status).toBe(404)
    expect((await rpc('SubscribeToTask', { id: task.id })).error?.code).toBe(-32004)
  })

  it('streams are refused by an agent whose card says streaming: false', async () => {
    const agent = echoAgent({
      card: { name: 'echo', description: 'x', capabilities: { streaming: false } },
    })
    const { rpc } = testServer({}, [agent])
    expect((await rpc('SendStreamingMessage', say('hi'))).error?.code).toBe(-32004)
    expect((await rpc('SubscribeToTask', { id: 'x' })).error?.code).toBe(-32004)
  })

  it('streams continue the task when the reader leaves', async () => {
    const { request, rpc } = testServer()
    const response = await request('/message:stream', { json: say('wait') })
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    await reader?.cancel()
    const id = /"id":"(task_[^"]+)"/.exec(new TextDecoder().decode(value))?.[1]
    expect((await rpc('GetTask', { id })).result.status.state).toMatch(/SUBMITTED|WORKING/)
    await rpc('CancelTask', { id })
  })
})

describe('GetTask, ListTasks and CancelTask', () => {
  it('GetTask and ListTasks limit the history as asked', async () => {
    const { rpc, request } = testServer()
    const { task } = (await rpc('SendMessage', say('hi'))).result
    expect((await rpc('GetTask', { id: task.id, historyLength: 1 })).result.history).toHaveLength(1)
    expect((await rpc('GetTask', { id: task.id, historyLength: 0 })).result).not.toHaveProperty(
      'history',
    )
    expect(
      (await (await request(`/tasks/${task.id}?historyLength=1`)).json()).history,
    ).toHaveLength(1)
    expect((await request(`/tasks/${task.id}?historyLength=x`)).status).toBe(400)
  })

  it('ListTasks lists by status time with a cursor, leaves artifacts out, and always has a nextPageToken', async () => {
    const { rpc, request } = testServer()
    for (const text of ['a', 'b', 'c']) await rpc('SendMessage', say(text, { contextId: 'ctx' }))
    const first = (await rpc('ListTasks', { pageSize: 2 })).result
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3 })
    expect(first.tasks[0]).not.toHaveProperty('artifacts')
    const second = (await rpc('ListTasks', { pageSize: 2, pageToken: first.nextPageToken })).result
    expect([second.tasks.length, second.nextPageToken]).toEqual([1, ''])
    const listed = await request(
      '/tasks?contextId=ctx&includeArtifacts=true&status=TASK_STATE_COMPLETED&pageSize=1',
    )
    expect((await listed.json()).tasks[0].artifacts).toHaveLength(1)
    const times = first.tasks.map(({ status }: any) => status.timestamp)
    expect(times).toEqual([...times].sort().reverse())
  })

  it.each([
    'pageSize=150',
    'pageSize=0',
    'historyLength=-5',
    'status=TASK_STATE_RUNNING',
    'pageToken=x',
    'includeArtifacts=yes',
    'statusTimestampAfter=monday',
  ])('ListTasks refuses the query %s', async (query) => {
    const response = await testServer().request(`/tasks?${query}`)
    expect(response.status).toBe(400)
    expect((await response.json()).error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
  })

  it('CancelTask cancels a task, and refuses to cancel it again or to cancel what is over', async () => {
    const { rpc, request } = testServer()
    const { task } = (
      await rpc('SendMessage', { ...say('wait'), configuration: { returnImmediately: true } })
    ).result
    const cancelled = await request(`/tasks/${task.id}:cancel`, { method: 'POST' })
    expect((await cancelled.json()).status.state).toBe('TASK_STATE_CANCELED')
    const again = await request(`/tasks/${task.id}:cancel`, { method: 'POST' })
    expect([again.status, (await again.json()).error.details[0].reason]).toEqual([
      400,
      'TASK_NOT_CANCELABLE',
    ])
    expect((await rpc('GetTask', { id: task.id })).result.status.state).toBe('TASK_STATE_CANCELED')
    const { task: done } = (await rpc('SendMessage', say('hi'))).result
    const refused = await rpc('CancelTask', { id: done.id })
    expect([refused.error?.code, reasonOf(refused)]).toEqual([-32002, 'TASK_NOT_CANCELABLE'])
  })

  it('CancelTask gives a cancelled task again to a caller of our extension that cancels it twice', async () => {
    const { rpc } = testServer()
    const { task } = (
      await rpc('SendMessage', { ...say('wait'), configuration: { returnImmediately: true } })
    ).result
    for (const _ of [1, 2]) {
      const { result } = await rpc(
        'CancelTask',
        { id: task.id },
        { 'a2a-extensions': extensionUri },
      )
      expect(result.status.state).toBe('TASK_STATE_CANCELED')
    }
  })

  it('GetTask, ListTasks and CancelTask find nothing at a path that cannot be decoded', async () => {
    expect((await testServer().request('/tasks/%ff')).status).toBe(404)
  })
})

describe('JSON-RPC', () => {
  it.each([
    ['{', -32700],
    ['[]', -32600],
    ['7', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"GetTask"}', -32600],
    ['{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"Nothing"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}', -32602],
  ])('JSON-RPC answers %s with %i', async (body, code) => {
    const response = await testServer().request('/', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(200)
    expect((await response.json()).error.code).toBe(code)
  })

  it('JSON-RPC keeps the id of a request whose media type is refused', async () => {
    const request = (body: string) =>
      testServer().request('/', { method: 'POST', body, headers: { 'content-type': 'text/plain' } })
    const refused = await request(
      '{"jsonrpc":"2.0","id":"a-7","method":"GetTask","params":{"id":"x"}}',
    )
    expect(await refused.json()).toMatchObject({ id: 'a-7', error: { code: -32005 } })
    expect(await (await request('{')).json()).toMatchObject({ id: null, error: { code: -32005 } })
  })
})

describe('what the card does not offer', () => {
  it.each([
    ['SendStreamingMessage', '/message:stream', 'UNSUPPORTED_OPERATION'],
    ['SubscribeToTask', undefined, 'UNSUPPORTED_OPERATION'],
    [
      'CreateTaskPushNotificationConfig',
      '/tasks/x/pushNotificationConfigs',
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
    ],
    ['GetTaskPushNotificationConfig', undefined, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['ListTaskPushNotificationConfigs', undefined, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['DeleteTaskPushNotificationConfig', undefined, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['GetExtendedAgentCard', undefined, 'UNSUPPORTED_OPERATION'],
  ])(
    'what the card does not offer is refused before the parameters of %s are checked',
    async (method, path, reason) => {
      const card = { name: 'echo', description: 'Repeats', capabilities: { streaming: false } }
      const { rpc, request } = testServer({}, [echoAgent({ card })])
      expect(reasonOf(await rpc(method, { id: 7, taskId: 7, tenant: 7 }))).toBe(reason)
      if (path === undefined) return
      const refused = await request(path, { json: { message: 7, url: 7 } })
      expect((await refused.json()).error.details[0].reason).toBe(reason)
    },
  )
})

describe('versions', () => {
  it.each([
    ['1.0', undefined],
    ['1.0.1', undefined],
    ['0.5', -32009],
    ['2.0', -32009],
    ['nonsense', -32009],
    ['', -32009],
  ])('the server responds to the version "%s" of a 1.0 method with %s', async (version, code) => {
    const { rpc } = testServer()
    expect((await rpc('SendMessage', say('x'), { 'a2a-version': version })).error?.code).toBe(code)
  })

  it('versions are refused under the id of the JSON-RPC request', async () => {
    const { request } = testServer()
    const json = { jsonrpc: '2.0', id: 'r-1', method: 'SendMessage', params: say('x') }
    const refused = await request('/', { json, headers: { 'a2a-version': '9.9' } })
    expect(await refused.json()).toMatchObject({
      jsonrpc: '2.0',
      id: 'r-1',
      error: { code: -32009 },
    })
  })

  it('the version may be a query parameter', async () => {
    const { server } = testServer()
    const send = (query: string) => server.fetch(new Request(`${base}/tasks${query}`))
    expect((await send('?A2A-Version=1.0')).status).toBe(200)
    const refused = await send('')
    expect([refused.status, (await refused.json()).error.details[0].reason]).toEqual([
      400,
      'VERSION_NOT_SUPPORTED',
    ])
  })

  it.each([
    [
      'without the header A2A-Version',
      undefined,
      '0.3, which a request without the header A2A-Version speaks',
    ],
    ['with A2A-Version: 0.3', '0.3', '0.3'],
  ])(
    'requests of 0.3 are refused over both bindings with what to do (%s)',
    async (_, version, shown) => {
      const { server } = testServer()
      const headers = {
        'content-type': 'application/json',
        ...(version !== undefined && { 'a2a-version': version }),
      }
      const params = {
        message: {
          kind: 'message',
          messageId: 'm',
          role: 'user',
          parts: [{ kind: 'text', text: 'hi' }],
        },
      }
      const ask = async (path: string, body: object) =>
        server.fetch(
          new Request(base + path, { method: 'POST', headers, body: JSON.stringify(body) }),
        )
      const advice = `not ${shown}; send the request in the form of 1.0, with the header A2A-Version: 1.0`
      const rpc = await ask('/', { jsonrpc: '2.0', id: 7, method: 'message/send', params })
      expect([rpc.status, await rpc.json()]).toMatchObject([
        200,
        { id: 7, error: { code: -32009, message: `/ speaks A2A 1.0, ${advice}` } },
      ])
      const rest = await ask('/message:send', params)
      expect([rest.status, await rest.json()]).toMatchObject([
        400,
        {
          error: {
            message: `/message:send speaks A2A 1.0, ${advice}`,
            details: [{ reason: 'VERSION_NOT_SUPPORTED', metadata: { supportedVersions: '1.0' } }],
          },
        },
      ])
    },
  )
})

describe('cards', () => {
  it('cards have ETag and Cache-Control, name every interface, and are not sent twice', async () => {
    const { request } = testServer({
      url: 'https://agents.example.com',
      allowedHosts: ['127.0.0.1'],
    })
    const response = await request('/.well-known/agent-card.json')
    const card = await response.json()
    expect(card.supportedInterfaces).toEqual([
      { url: 'https://agents.example.com/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: 'https://agents.example.com', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ])
    expect(response.headers.get('cache-control')).toContain('max-age')
    const again = await request('/.well-known/agent-card.json', {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    })
    expect(again.status).toBe(304)
    expect(card).not.toHaveProperty('url')
  })

  it('cards are given to callers of any version, so that these learn which versions are served', async () => {
    const { request } = testServer()
    for (const version of ['', '0.3', '9.9']) {
      const response = await request('/.well-known/agent-card.json', {
        headers: { 'a2a-version': version },
      })
      expect([response.status, (await response.json()).supportedInterfaces.length]).toEqual([
        200, 2,
      ])
    }
  })

  it('the server refuses the extended card if there is none, and returns it to authenticated callers', async () => {
    expect((await testServer().rpc('GetExtendedAgentCard')).error?.code).toBe(-32004)
    const agent = echoAgent({
      extendedCard: (who) => ({ name: 'echo', description: `For ${who}` }),
    })
    const authentication = [
      { type: 'bearer', tokens: [{ token: 'secret', principal: 'alice' }] },
    ] as const
    const { rpc } = testServer({ authentication }, [agent])
    const { result } = await rpc('GetExtendedAgentCard', undefined, {
      authorization: 'Bearer secret',
    })
    expect(result.description).toBe('For alice')
    const declared = echoAgent({
      card: { name: 'e', description: 'x', capabilities: { extendedAgentCard: true } },
    })
    const empty = testServer({ authentication }, [declared])
    expect(
      (await empty.rpc('GetExtendedAgentCard', undefined, { authorization: 'Bearer secret' })).error
        ?.code,
    ).toBe(-32007)
  })

  it('cards have extensions, and responses name those that the caller asked for and the agent has', async () => {
    const extensions = [{ uri: 'https://example.com/ext/v1', required: false }]
    const { request } = testServer({}, [
      echoAgent({ card: { name: 'e', description: 'x', extensions } }),
    ])
    const asked = 'https://example.com/ext/v2, https://example.com/ext/v1'
    const response = await request('/message:send', {
      json: say('x'),
      headers: { 'a2a-extensions': asked },
    })
    expect([response.status, response.headers.get('a2a-extensions')]).toEqual([
      200,
      'https://example.com/ext/v1',
    ])
  })

  it('cards make callers declare required extensions', async () => {
    const extensions = [{ uri: 'https://example.com/ext/v1', required: true }]
    const { rpc } = testServer({}, [
      echoAgent({ card: { name: 'e', description: 'x', extensions } }),
    ])
    expect((await rpc('SendMessage', say('x'))).error?.code).toBe(-32008)
    expect(
      (await rpc('SendMessage', say('x'), { 'a2a-extensions': 'https://example.com/ext/v1' }))
        .error,
    ).toBeUndefined()
  })
})

describe('several agents and tenants', () => {
  it('several agents and tenants are served below their names, each with its own card and tasks', async () => {
    const server = createAgentServer(
      ['one', 'two'].map((name) => echoAgent({ card: { name, description: name } })),
    )
    const { request } = clientOf(server)
    const sent = await request('/a/one/message:send', { json: say('hi') })
    const { task } = await sent.json()
    expect((await request(`/a/one/tasks/${task.id}`)).status).toBe(200)
    expect((await request(`/a/two/tasks/${task.id}`)).status).toBe(404)
    const card = await (await request('/a/two/.well-known/agent-card.json')).json()
    expect([card.name, card.supportedInterfaces[0].url]).toEqual(['two', `${base}/a/two/`])
    expect((await request('/message:send', { json: say('hi') })).status).toBe(404)
  })

  it('several agents and tenants are listed at the root, and an unknown address says where', async () => {
    const server = createAgentServer(
      ['one', 'two'].map((name) => echoAgent({ card: { name, description: name } })),
    )
    const { request } = clientOf(server)
    const { agents } = await (await request('/')).json()
    expect(agents[1]).toEqual({
      name: 'two',
      description: 'two',
      url: `${base}/a/two/`,
      card: `${base}/a/two/.well-known/agent-card.json`,
    })
    expect((await request(new URL(agents[1].card).pathname)).status).toBe(200)
    const missing = await request('/.well-known/agent-card.json')
    expect([missing.status, (await missing.json()).error.message]).toEqual([
      404,
      `There is nothing at this address; the agents are listed at ${base}/`,
    ])
  })

  it('tenants are kept apart, in the path and in the request', async () => {
    const { request, rpc } = testServer()
    const { task } = await (await request('/acme/message:send', { json: say('hi') })).json()
    expect((await request(`/acme/tasks/${task.id}`)).status).toBe(200)
    expect((await rpc('GetTask', { id: task.id, tenant: 'acme' })).result.id).toBe(task.id)
    expect((await rpc('GetTask', { id: task.id })).error?.code).toBe(-32001)
    expect((await request(`/state/tasks/${task.id}`)).status).toBe(404)
  })
})
