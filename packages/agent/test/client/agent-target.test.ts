import {
  AgentError,
  createAgent,
  createLocalClient,
  createSkill,
  createTask,
  executeTask,
  toAgentTarget,
} from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { describe, expect, it } from 'vitest'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** An agent with a tool and a skill that is not one. */
function weather() {
  const asked: unknown[] = []
  const lookUp = defineTool({
    name: 'look_up',
    description: 'Looks up the weather',
    parameters,
    execute: (args) => {
      asked.push(args)
      return { degrees: 28 }
    },
  })
  const skills = [createSkill({ id: 'plan_trip', description: 'Plans a trip around rain' })]
  const card = { name: 'weather', description: 'Knows the weather.', skills }
  return { asked, client: createLocalClient(createAgent({ card, tools: [lookUp] })) }
}

describe('an agent that answers a message with a failure of its server', () => {
  const failing = (error: Error) => ({
    ...weather().client,
    stream: async function* () {
      yield* []
      throw await Promise.resolve(error)
    },
  })
  const readBy = async (error: Error): Promise<string> => {
    const provider = createMock({
      responses: [
        {
          toolCalls: [{ name: 'delegate_to_agent', arguments: { agent: 'sky', prompt: 'Rain?' } }],
        },
        'I do not know.',
      ],
    })
    const sky = toAgentTarget(failing(error), { name: 'sky', description: 'Knows the sky' })
    const caller = createAgent({
      card: { name: 'caller', description: 'Asks' },
      agents: [sky],
      provider,
    })
    await executeTask(caller, createTask('Will it rain?'))
    return JSON.stringify(provider.requests[1]?.messages.at(-1))
  }

  it('an agent whose server fails may have taken the message, and one that refuses has not', async () => {
    const failed = new AgentError(
      'internal',
      'The agent refused: the agent answered with status 500',
    )
    expect(await readBy(failed)).toContain('Do not make the same call again')
    const refused = new AgentError('forbidden', 'The agent refused: not for you')
    expect(await readBy(refused)).not.toContain('Do not make the same call again')
  })
})

describe('an agent target without a name and a description', () => {
  it.each(['native', 'json'] as const)(
    'an agent target without a name and a description shows a model in %s mode the card, and calls the tools in it',
    async (mode) => {
      const { client, asked } = weather()
      const args = { city: 'Rome' }
      const call = { agent: 'weather', tool: 'look_up', args }
      const isNative = mode === 'native'
      const provider = createMock({
        responses: [
          isNative
            ? { toolCalls: [{ name: 'call_agent_tool', arguments: call }] }
            : JSON.stringify({ type: 'agent_call', action: 'tool_call', ...call }),
          isNative ? 'It is warm.' : '{"type":"final","content":"It is warm."}',
        ],
      })
      const caller = createAgent({
        card: { name: 'caller', description: 'Asks' },
        agents: [await toAgentTarget(client)],
        provider,
        mode,
      })
      const done = await executeTask(caller, createTask('How warm is Rome?'))
      expect([done.state, asked]).toEqual(['completed', [args]])
      const shown = JSON.stringify(provider.requests[0])
      expect(shown).toContain(
        'weather: Knows the weather. Skills: Plan Trip (Plans a trip around rain).',
      )
      expect(shown).toContain('look_up')
      expect(JSON.stringify(provider.requests[1])).toContain('28')
    },
  )

  it('an agent target without a name and a description prefers what the application says to the card', async () => {
    const target = await toAgentTarget(weather().client, { name: 'sky', tools: [] })
    expect([target.name, target.tools]).toEqual(['sky', undefined])
  })
})
