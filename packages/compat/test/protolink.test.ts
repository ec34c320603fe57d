/* eslint-disable @typescript-eslint/no-explicit-any -- responses are JSON of any shape */
import { describe, expect, it } from 'vitest'
import { eventsOf } from '../../serve/test/server/support.js'
import { testServer } from './support.js'

describe('Protolink', () => {
  const task = (text: string, more = {}) => ({
    id: 'task_mine',
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', content: text }] }],
    ...more,
  })

  it('Protolink runs a task and returns it in the form of Protolink, with the reply once', async () => {
    const { request } = testServer()
    const done = (await (await request('/tasks/', { json: task('hi') })).json()) as Record<string, any>
    expect(done).toMatchObject({ state: 'completed', artifacts: [], metadata: { client_task_id: 'task_mine' } })
    expect(done['messages'].at(-1)).toMatchObject({ role: 'agent', parts: [{ type: 'text', content: 'You said: hi' }] })
  })

  it('Protolink refuses a task that is over', async () => {
    const { request } = testServer()
    for (const [state, ours] of [['completed'], ['failed'], ['canceled', 'cancelled']]) {
      const response = await request('/tasks/', { json: task('hi', { state }) })
      const refusal = expect.stringContaining(`The task is ${ours ?? state}`)
      expect([response.status, await response.text()]).toEqual([400, refusal])
    }
  })

  it('Protolink streams frames, the last of which is final and empty', async () => {
    const { request } = testServer()
    const frames = await eventsOf(await request('/tasks/stream', { json: task('slow') }))
    expect(frames.map(({ result }) => result?.type ?? null)).toContain('task_llm_stream')
    expect(frames.at(-1)).toMatchObject({ ok: true, result: null, final: true })
    const changes = frames.flatMap(({ result }) =>
      result?.type === 'task_status_update' ? [[result.previous_state, result.new_state, result.final]] : [],
    )
    expect(changes).toEqual([
      ['submitted', 'working', false],
      ['working', 'completed', true],
    ])
  })

  it('Protolink cancels, describes, resets and compacts', async () => {
    const { request } = testServer()
    const context = { metadata: { run_context: { session_id: 's1' } } }
    for (const text of ['one', 'two'])
      await request('/tasks/', {
        json: { ...task(text, context), id: text, messages: [{ id: text, parts: [{ type: 'text', content: text }] }] },
      })
    const describeState = async () => await (await request('/state/describe', { json: { session_id: 's1' } })).json()
    expect((await describeState()).stores).toEqual([{ name: 'conversation', messages: 4 }])
    const compacted = await (
      await request('/llm/history/compact', { json: { session_id: 's1', max_messages: 2 } })
    ).json()
    expect(compacted).toMatchObject({ strategy: 'recent', before_messages: 4, after_messages: 2, removed_messages: 2 })
    await request('/state/reset', { json: { session_id: 's1' } })
    expect((await describeState()).stores).toEqual([{ name: 'conversation', messages: 0 }])
    const missing = await (await request('/state/describe', { json: { session_id: 's1', stores: ['vectors'] } })).json()
    expect(missing.missing).toEqual(['vectors'])
    expect((await request('/tasks/cancel', { json: { id: 'none' } })).status).toBe(404)
  })

  it('Protolink has health, readiness and its own card', async () => {
    const { request } = testServer()
    expect((await request('/healthz')).status).toBe(200)
    expect(await (await request('/readyz')).json()).toEqual({ status: 'ready', store: 'ok' })
    expect(await (await request('/.well-known/agent.json')).json()).toMatchObject({ name: 'echo', transport: 'http' })
  })
})
