import { type AgentRunContext, createAgent } from '@modelport/agent'
import { protolinkClient } from '@modelport/compat'
import { createMock } from '@modelport/provider-mock'
import { defineTool, type RunBudget } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { describe, expect, it } from 'vitest'
import { base, echoAgent } from '../../serve/test/server/support.js'
import { testServer } from './support.js'

/** The run context as Protolink's own `RunContext.to_dict()` writes it: every field is there. */
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

/** Sends a task with this context to an agent whose model calls its tool once, and counts how often the tool ran. */
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
  const response = await request('/tasks/', {
    json: {
      id: 'task_mine',
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', content: 'Go' }] }],
      metadata: { run_context: context },
    },
  })
  const task = (await response.json()) as { state: string; metadata: { error?: string } }
  return { task, calls, requests: provider.requests.length }
}

describe('a run context of Protolink', () => {
  it('a run context of Protolink without rules permits what the agent allows', async () => {
    expect(await runWith(runContext())).toMatchObject({ task: { state: 'completed' }, calls: 1 })
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
  ])('a run context of Protolink with the permissions %j runs the tool %i times', async (permissions, calls) => {
    expect(await runWith(runContext({ permissions }))).toMatchObject({ task: { state: 'completed' }, calls })
  })

  it.each([
    ['max_llm_calls', 1, 'maxCalls', 1],
    ['max_tool_calls', 0, 'maxToolCalls', 0],
    ['max_steps', 1, 'maxSteps', 1],
    ['max_input_tokens', 1, 'maxInputTokens', 0],
  ])('a run context of Protolink with the limit %s of %i ends the task at %s', async (name, limit, own, calls) => {
    const done = await runWith(runContext({ budget: { ...runContext().budget, [name]: limit } }))
    expect(done).toMatchObject({ task: { state: 'failed', metadata: { error: expect.stringContaining(own) } }, calls })
  })

  it('a run context of Protolink cannot raise what the agent allows', async () => {
    const done = await runWith(runContext({ budget: { max_llm_calls: 9, max_output_tokens: -1 } }), { maxCalls: 1 })
    expect(done).toMatchObject({ task: { state: 'failed' }, calls: 1, requests: 1 })
  })

  it('a run context of Protolink with a later deadline does not extend the time that the agent allows', async () => {
    const done = await runWith(runContext({ deadline: Date.now() + 60_000 }), { maxRuntimeMs: 5 })
    expect(done.task).toMatchObject({
      state: 'failed',
      metadata: { error: expect.stringContaining('maxRuntimeMs') as string },
    })
  })

  it('a run context of Protolink is passed on in the form that Protolink reads, and is read back', async () => {
    let seen: AgentRunContext | undefined
    const agent = echoAgent({
      handler: ({ run }) => {
        seen = run
        return 'Done.'
      },
    })
    const { server } = testServer({}, [agent])
    const bodies: { metadata?: { run_context: object } }[] = []
    const client = createAgentClient(base, {
      protocol: protolinkClient,
      fetch: async (input, init) => {
        const request = new Request(input, init)
        if (request.method === 'POST') bodies.push((await request.clone().json()) as object)
        return server.fetch(request)
      },
    })
    const granted = { permissions: ['tool.echo'], limits: { maxCalls: 2, maxRuntimeMs: 1500, maxCost: 1 } }
    const run = { taskId: 'task_1', sessionId: 's1', principal: '', chain: ['boss'], traceId: 'trace_1', ...granted }
    await client.send('Go', { run })
    expect(bodies[0]?.metadata?.run_context).toMatchObject({
      permissions: { default: 'deny', capabilities: { 'tool.echo': 'allow' } },
      budget: { max_llm_calls: 2, max_runtime_seconds: 1.5, max_cost: 1 },
    })
    expect(seen).toMatchObject({ ...granted, traceId: 'trace_1', parentTaskId: 'task_1', chain: ['boss', 'echo'] })
  })
})
