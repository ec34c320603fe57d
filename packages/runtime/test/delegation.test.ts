import { describe, expect, test } from 'vitest'
import { type AgentTarget, defineTool } from '../src/index.js'
import { action, ended, run } from './weather-run.js'

describe('agents', () => {
  const asked: unknown[] = []
  const agents: readonly AgentTarget[] = [
    {
      name: 'poet',
      description: 'Writes',
      call: (request) => {
        asked.push(request)
        return 'a poem'
      },
    },
    {
      name: 'clerk',
      description: 'Files',
      tools: [{ name: 'file', description: 'Files it' }],
      call: (request) => {
        asked.push(request)
        return { filed: true }
      },
    },
  ]

  test('agents are called by name in JSON mode; an unknown one is reported to the model, the only one need not be named', async () => {
    const ask = (agent: string) =>
      action({ type: 'agent_call', agent, action: 'infer', prompt: 'write' })
    const { result, of, provider } = await run(
      [ask('nobody'), ask('poet'), action({ type: 'final', content: 'ok' })],
      {
        mode: 'json',
        agents,
        tools: [],
      },
    )
    ended(result, 'final')
    expect(of('agent-call-error')).toMatchObject([{ agent: 'nobody', phase: 'validation' }])
    expect(of('agent-call-result')).toMatchObject([{ agent: 'poet', result: 'a poem' }])
    expect(provider.requests[1]?.messages.at(-1)?.content).toContain('agents: poet, clerk')
    expect(provider.requests[2]?.messages.at(-1)?.content).toBe(
      '{"type":"agent_result","agent":"poet","result":"a poem"}',
    )
  })

  test('agents are called natively through tools that exist only if somebody can be asked', async () => {
    const { result, provider, of } = await run(
      [
        {
          toolCalls: [
            {
              name: 'call_agent_tool',
              arguments: { agent: 'clerk', tool: 'file', args: { x: 1 } },
            },
          ],
        },
        'ok',
      ],
      { agents, tools: [] },
    )
    ended(result, 'final')
    expect(provider.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'delegate_to_agent',
      'call_agent_tool',
    ])
    expect(asked.at(-1)).toEqual({ action: 'tool_call', tool: 'file', args: { x: 1 } })
    expect(of('agent-call-start')).toMatchObject([
      { agent: 'clerk', action: 'tool_call', tool: 'file' },
    ])
    expect((await run(['ok'])).provider.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'get_weather',
    ])
    await expect(
      run(['ok'], {
        agents,
        tools: [defineTool({ name: 'delegate_to_agent', description: '', execute: () => 1 })],
      }).then(({ result: { status } }) => status),
    ).resolves.toBe('failed')
  })
})
