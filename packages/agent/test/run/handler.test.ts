import {
  answerOf,
  type ClientEvent,
  createAgent,
  createArtifact,
  createLocalClient,
  createPart,
  createTask,
  executeTask,
} from '@modelport/agent'
import { expect, it } from 'vitest'

const card = { name: 'worker', description: 'Works' }

it('a handler reads what was said before in its session', async () => {
  const heard: unknown[] = []
  const agent = createAgent({
    card,
    handler: async ({ input, conversation }) => {
      heard.push(await conversation())
      return `heard ${input}`
    },
  })
  const client = createLocalClient(agent)
  for (const text of ['one', 'two']) await client.send(text, { sessionId: 's1' })
  await client.send('elsewhere')
  expect(heard).toEqual([
    [],
    [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'heard one' },
    ],
    [],
  ])
})

it('a handler adds to an artifact part by part, and makes parts of every kind', async () => {
  const rows = [
    createPart.uri('https://example.com/a'),
    createPart.bytes('aGk=', { mediaType: 'text/plain', filename: 'a' }),
  ]
  const agent = createAgent({
    card,
    handler: async ({ artifact }) => {
      await artifact(createArtifact('head', { id: 'report' }))
      for (const row of rows)
        await artifact(createArtifact([row], { id: 'report' }), { append: true })
      return undefined
    },
  })
  const events: ClientEvent[] = []
  for await (const event of createLocalClient(agent).stream('go')) events.push(event)
  const last = events.at(-1)
  const parts =
    last?.type === 'task' ? last.task.artifacts.map(({ id, parts: all }) => [id, all]) : []
  expect(parts).toEqual([['report', [createPart.text('head'), ...rows]]])
  const chunks = events.flatMap((event) =>
    event.type === 'artifact' ? [[event.append ?? false, event.artifact.parts.length]] : [],
  )
  expect(chunks).toEqual([
    [false, 1],
    [true, 1],
    [true, 1],
  ])
})

it.each([
  [createPart.status('input-required', 'Which size?'), 'input-required', 'Which size?'],
  [createPart.error('nope', 'no way'), 'failed', 'no way'],
  [createPart.text('large'), 'completed', 'large'],
])('a handler may return one part in place of a list: case %#', async (part, state, answer) => {
  for (const handler of [() => part, () => [part]]) {
    const task = await createLocalClient(createAgent({ card, handler })).send('q')
    expect([task.state, answerOf(task)]).toEqual([state, answer])
  }
})

it('executeTask passes on where the task belongs, which only narrows', async () => {
  let seen: unknown
  const agent = createAgent({
    card,
    handler: ({ run }) => {
      seen = [run.chain, run.traceId, run.permissions]
      return 'done'
    },
  })
  await executeTask(agent, createTask('x'), {
    context: { chain: ['boss'], traceId: 't1', permissions: ['tool.echo'] },
  })
  expect(seen).toEqual([['boss', 'worker'], 't1', ['tool.echo']])
})

it('a handler that ignores its signal gives its place back at the time limit, and when its task is cancelled', async () => {
  const late = Promise.withResolvers<undefined>()
  let refused: unknown
  const agent = createAgent({
    card,
    timeoutMs: 3_000, // a busy database may take some of it for the task that is fine
    maxConcurrency: 1,
    handler: async ({ input, delta }) => {
      if (input === 'fine') return 'done'
      await late.promise
      refused = await delta('too late').catch((error: unknown) => error)
      return 'never read'
    },
  })
  const client = createLocalClient(agent)
  const timedOut = await client.send('hang')
  expect(timedOut).toMatchObject({ state: 'failed' })
  expect(answerOf(timedOut)).toBe('The task took longer than 3000 ms')
  expect(answerOf(await client.send('fine'))).toBe('done')

  const patient = createAgent({
    card,
    maxConcurrency: 1,
    handler: ({ input }) => (input === 'fine' ? 'done' : late.promise),
  })
  const other = createLocalClient(patient)
  const events = other.stream('hang')[Symbol.asyncIterator]()
  const first = await events.next()
  const taskId = first.value && 'task' in first.value ? first.value.task.id : ''
  expect(await other.cancel(taskId)).toMatchObject({ state: 'cancelled' })
  expect(answerOf(await other.send('fine'))).toBe('done')

  late.resolve(undefined)
  await expect.poll(() => refused).toBeInstanceOf(Error)
  expect(answerOf(await client.get(timedOut.id))).toBe('The task took longer than 3000 ms')
})
