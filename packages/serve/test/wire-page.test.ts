import { readFileSync } from 'node:fs'
import type { Part } from '@modelport/agent'
import { createAgentServer } from '@modelport/serve'
import { describe, expect, it } from 'vitest'
import { fromA2aPart, toA2aPart } from '../src/a2a/task-codec.js'
import type { A2aMessage, A2aPart, A2aTask, A2aTaskState } from '../src/a2a/types.js'
import { fromLegacySend, toLegacyEvent, toLegacyTask } from '../src/a2a-v03/json-codec.js'
import { fromLegacyProtoSend, toLegacyProtoEvent } from '../src/a2a-v03/proto-codec.js'
import { bothVersions, echoAgent, testServer } from './server/support.js'

const page = readFileSync(new URL('../../../docs/guides/wire-mapping.md', import.meta.url), 'utf8')

/** The rows of the table whose first heading is this, by their first cell; the rest without backticks. */
function tableOf(heading: string): ReadonlyMap<string, readonly string[]> {
  const [, body = ''] = page.split(`\n| ${heading} |`)
  const lines = body.split('\n').slice(2)
  const end = lines.findIndex((line) => !line.startsWith('|'))
  const rows = lines.slice(0, end).map((line) => line.slice(2, -2).split(' | '))
  return new Map(rows.map(([first = '', ...rest]) => [first, rest.map((cell) => cell.replaceAll('`', ''))]))
}

const message = (role: A2aMessage['role'], parts: readonly A2aPart[]): A2aMessage => ({ messageId: 'm', role, parts })
const task = (state: A2aTaskState, history: readonly A2aMessage[] = []): A2aTask => ({
  id: 't',
  contextId: 'c',
  status: { state },
  history,
})

const parts: readonly (readonly [row: string, part: Part])[] = [
  ['`text`', { type: 'text', content: 'hi' }],
  ['`json`', { type: 'json', content: { a: 1 } }],
  ['`json` that is not an object', { type: 'json', content: 7 }],
  ['`bytes`', { type: 'bytes', content: 'aGk=', mediaType: 'text/plain' }],
  ['`uri` with a file name', { type: 'uri', content: 'https://example.com/a', filename: 'a' }],
]

describe('the page of the wire mapping', () => {
  it.each(parts)(
    'the page of the wire mapping shows the part %s as the codecs write it, and they read it back',
    (row, part) => {
      const cells = (tableOf('part').get(row) ?? []).map((cell) => JSON.parse(cell) as unknown)
      const wire = toA2aPart(part)
      const whole = { task: task('TASK_STATE_WORKING', [message('ROLE_USER', [wire])]) }
      const legacy = toLegacyTask(whole.task) as { history: { parts: unknown[] }[] }
      const proto = toLegacyProtoEvent(whole) as { task: { history: { content: unknown[] }[] } }
      expect(cells).toEqual([wire, legacy.history[0]?.parts[0], proto.task.history[0]?.content[0]])
      const [, rpc, http] = cells
      const fromRpc = fromLegacySend({ message: { messageId: 'm', role: 'user', parts: [rpc] } })
      const fromHttp = fromLegacyProtoSend({ message: { messageId: 'm', role: 'ROLE_USER', content: [http] } })
      const expected = part.type === 'json' && part.content === 7 ? { type: 'json', content: { value: 7 } } : part
      for (const { message: read } of [fromRpc, fromHttp]) expect(read.parts.map(fromA2aPart)).toEqual([expected])
    },
  )

  it('the page of the wire mapping shows names of states, roles and events as the codecs write them', () => {
    const legacy = (state: A2aTaskState) => (toLegacyTask(task(state)) as { status: { state: string } }).status.state
    const proto = (state: A2aTaskState) =>
      (toLegacyProtoEvent({ task: task(state) }) as { task: { status: { state: string } } }).task.status.state
    const said = (role: A2aMessage['role']) => {
      const one = message(role, [{ text: 'x' }])
      return [toLegacyEvent({ message: one }), toLegacyProtoEvent({ message: one })['message']] as Record<
        string,
        string
      >[]
    }
    const roles = (role: A2aMessage['role']) => [role, ...said(role).map((each) => each['role'])]
    const ids = { taskId: 't', contextId: 'c' }
    const events = [
      { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' as const } } },
      { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'x' }] } } },
    ]
    const [status, artifact] = events.map((event) => [
      Object.keys(event)[0],
      toLegacyEvent(event)['kind'],
      Object.keys(toLegacyProtoEvent(event))[0],
    ])
    const whole = { task: task('TASK_STATE_COMPLETED') }
    const states = (state: A2aTaskState) => [state, legacy(state), proto(state)]
    const [rpc = {}, http = {}] = said('ROLE_USER')
    const partsName = (from: object) => Object.keys(from).find((key) => key === 'parts' || key === 'content')
    expect(Object.fromEntries(tableOf('what'))).toEqual({
      state: states('TASK_STATE_INPUT_REQUIRED'),
      'state of a cancelled task': states('TASK_STATE_CANCELED'),
      'role of a caller': roles('ROLE_USER'),
      'role of an agent': roles('ROLE_AGENT'),
      'parts of a message': ['parts', partsName(rpc), partsName(http)],
      'result of sending': ['task', Object.keys(toLegacyEvent(whole))[0], Object.keys(toLegacyProtoEvent(whole))[0]],
      'change of the state in a stream': status,
      'artifact in a stream': artifact,
    })
  })

  it('the page of the wire mapping names every operation of the four bindings, and the server has each', async () => {
    const { rpc } = testServer(bothVersions)
    const table = createAgentServer([echoAgent()], bothVersions).describeEndpoints()
    const own = new Set(
      table
        .filter(({ wire, path }) => wire.startsWith('A2A') && !path.startsWith('/{tenant}') && path !== '/')
        .map(({ method, path }) => `${method} ${path}`),
    )
    own.delete('GET /.well-known/agent-card.json')
    const rows = [...tableOf('operation').values()]
    expect(rows).toHaveLength(11)
    for (const [method = '', path = '', legacyMethod = '', legacyPath = ''] of rows) {
      for (const each of [path, legacyPath]) if (each !== 'none') expect([each, own.delete(each)]).toEqual([each, true])
      expect((await rpc(method, {})).error?.code).not.toBe(-32601)
      if (legacyMethod !== 'none')
        expect((await rpc(legacyMethod, {}, { 'a2a-version': '0.3' })).error?.code).not.toBe(-32601)
    }
    // The page says that a subscription is also accepted as POST.
    expect([...own].sort()).toEqual(['POST /tasks/{id}:subscribe', 'POST /v1/tasks/{id}:subscribe'])
  })
})
