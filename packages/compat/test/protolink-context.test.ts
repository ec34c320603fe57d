import { createAgent } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, type RunBudget } from '@modelport/runtime'
import { describe, expect, it } from 'vitest'
import { say, testServer } from '../../serve/test/server/support.js'

/**
 * The run context as Protolink's own `RunContext.to_dict()` writes it: every field is there. Its
 * agents send it over A2A, in the metadata.
 */
const runContext = (fields: object = {}) => ({
  run_id: 'run_20260102030405_0a1b2c3d',
  session_id: 's1',
  trace_id: null,
  workspace_uri: null,
  parent_run_id: null,
  agent_chain: [],
  permissions: {},
  budget: {
    max_steps: null,
    max_llm_calls: null,
    max_tool_calls: null,
    max_runtime_seconds: null,
    max_input_tokens: null,
    max_output_tokens: null,
    metadata: {},
  },
  canceled: false,
  cancel_reason: null,
  metadata: {},
  created_at: '2026-01-02T03:04:05+00:00',
  ...fields,
})

/**
 * Sends a task with this context to an agent whose model calls its tool once, and counts how often
 * the tool ran.
 */
async function runWith(context: object, budget?: RunBudget) {
  let calls = 0
  const echo = defineTool({
    name: 'echo',
    description: 'Repeats, and takes some milliseconds',
    execute: () => new Promise((resolve) => setTimeout(resolve, 20, `call ${++calls}`)),
  })
  const provider = createMock({ responses: [{ toolCalls: [{ name: 'echo' }] }, 'Done.'] })
  const agent = createAgent({
    card: { name: 'tools', description: 'Tools' },
    provider,
    tools: [echo],
    ...(budget && { budget }),
  })
  const { request } = testServer({}, [agent])
  const response = await request('/message:send', {
    json: { ...say('Go'), metadata: { run_context: context } },
  })
  const { task } = (await response.json()) as {
    task: { status: { state: string; message?: unknown } }
  }
  const { state, message } = task.status
  return { state, why: JSON.stringify(message), calls, requests: provider.requests.length }
}

describe('a run context of Protolink', () => {
  it('a run context of Protolink without rules permits what the agent allows', async () => {
    expect(await runWith(runContext())).toMatchObject({ state: 'TASK_STATE_COMPLETED', calls: 1 })
  })

  it.each([
    [{ default: 'deny', capabilities: { 'tool.echo': 'allow' } }, 1],
    [{ default: false, 'tool.*': { scope: ['a'] } }, 1],
    [{ 'tool.echo': true }, 1],
    [{ default: 'deny' }, 0],
    [{ default: 'deny', 'tool.other': 'allow' }, 0],
    [{ 'workspace.write': 'deny' }, 0],
    [{ 'tool.echo': { effect: 'require_approval' } }, 0],
    [{ default: 'ask' }, 0],
    [{ 'tool.echo': 7 }, 0],
  ])(
    'a run context of Protolink with the permissions %j runs the tool %i times',
    async (permissions, calls) => {
      expect(await runWith(runContext({ permissions }))).toMatchObject({
        state: 'TASK_STATE_COMPLETED',
        calls,
      })
    },
  )

  it.each([
    ['max_llm_calls', 1, 'maxCalls', 1],
    ['max_tool_calls', 0, 'maxToolCalls', 0],
    ['max_steps', 1, 'maxSteps', 1],
    ['max_input_tokens', 1, 'maxInputTokens', 0],
  ])(
    'a run context of Protolink with the limit %s of %i ends the task at %s',
    async (name, limit, own, calls) => {
      const done = await runWith(runContext({ budget: { ...runContext().budget, [name]: limit } }))
      expect(done).toMatchObject({
        state: 'TASK_STATE_FAILED',
        why: expect.stringContaining(own),
        calls,
      })
    },
  )

  it('a run context of Protolink cannot raise what the agent allows', async () => {
    const done = await runWith(
      runContext({ budget: { max_llm_calls: 9, max_output_tokens: -1 } }),
      { maxCalls: 1 },
    )
    expect(done).toMatchObject({ state: 'TASK_STATE_FAILED', calls: 1, requests: 1 })
  })

  it('a run context of Protolink with a later deadline does not extend the time that the agent allows', async () => {
    const done = await runWith(runContext({ deadline: Date.now() + 60_000 }), { maxRuntimeMs: 5 })
    expect(done).toMatchObject({
      state: 'TASK_STATE_FAILED',
      why: expect.stringContaining('maxRuntimeMs') as string,
    })
  })
})
