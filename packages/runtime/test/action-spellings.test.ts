import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { type AgentTarget, defineTool, type RunEvent } from '../src/index.js'
import type { Action } from '../src/reply/action.js'
import { action, run } from './weather-run.js'

const agents: readonly AgentTarget[] = [
  { name: 'poet', description: 'Writes', call: () => 'a poem' },
  {
    name: 'clerk',
    description: 'Files',
    tools: [{ name: 'file', description: 'Files it' }],
    call: () => 'filed',
  },
]
const local = defineTool({
  name: 'local',
  description: 'Local',
  parameters: { type: 'object' },
  execute: () => 'done',
})

/** A reply, the mode it is read in, and the effect it asks for. */
interface Spelling {
  readonly mode: 'json' | 'native'
  readonly reply: unknown
}

const asText = (text: string): Spelling[] => [
  { mode: 'json', reply: text },
  { mode: 'json', reply: `<think>hm</think>\n${text}` },
]
const asJson = (value: object): Spelling[] => [
  ...asText(JSON.stringify(value)),
  { mode: 'json', reply: `\`\`\`json\n${JSON.stringify({ ...value, thought: null })}\n\`\`\`` },
]
const native = (name: string, args: unknown): Spelling[] => [
  { mode: 'native', reply: { toolCalls: [{ name, arguments: args }] } },
  { mode: 'native', reply: JSON.stringify({ name, arguments: args }) },
  { mode: 'native', reply: JSON.stringify({ type: 'tool_call', tool: name, args }) },
  ...asJson({ type: 'tool_call', tool: name, args }),
  ...asJson({ type: 'tool_call', payload: { tool: name, args } }),
]

const inferSpellings = (prompt: string): Spelling[] => [
  ...asJson({ type: 'agent_call', agent: 'poet', action: 'infer', prompt }),
  ...asJson({ type: 'agent_call', payload: { agent: 'poet', action: 'infer', prompt } }),
  ...asJson({
    type: 'agent_call',
    agent: 'poet',
    action: 'infer',
    prompt,
    tool: null,
    args: null,
    content: null,
  }),
  ...native('delegate_to_agent', { agent: 'poet', prompt }),
]

const agentToolSpellings = (q: string): Spelling[] => [
  ...asJson({ type: 'agent_call', agent: 'clerk', action: 'tool_call', tool: 'file', args: { q } }),
  ...asJson({ type: 'agent_call', action: 'tool_call', tool: 'file', args: { q } }),
  ...asJson({
    type: 'agent_call',
    agent: 'clerk',
    action: 'tool_call',
    prompt: `file(q=${JSON.stringify(q)})`,
  }),
  ...asJson({ type: 'tool_call', tool: `clerk.file({"q": ${JSON.stringify(q)}})` }),
  ...asText(`clerk.file(q=${JSON.stringify(q)})`),
  ...native('call_agent_tool', { agent: 'clerk', tool: 'file', args: { q } }),
]

const localSpellings = (q: string): Spelling[] => [
  ...asJson({
    type: 'agent_call',
    agent: 'clerk',
    action: 'tool_call',
    tool: 'local',
    args: { q },
  }),
  ...asJson({
    type: 'agent_call',
    agent: 'myself',
    action: 'tool_call',
    tool: 'local',
    args: { q },
  }),
  ...asText(`local(q=${JSON.stringify(q)})`),
  ...asJson({ type: 'tool_call', prompt: `local({"q": ${JSON.stringify(q)}})` }),
  ...asText(JSON.stringify({ name: 'local', parameters: { q } })),
  ...native('local', { q }),
]

async function authorized({
  mode,
  reply,
}: Spelling): Promise<{ seen: Action[]; events: readonly RunEvent[] }> {
  const seen: Action[] = []
  const { events } = await run([reply as string, action({ type: 'final', content: 'ok' })], {
    mode,
    agents,
    tools: [local],
    authorize: (asked) => {
      const { thought: _thought, ...effect } = asked
      seen.push(effect)
      return { effect: 'deny', reason: 'no' }
    },
  })
  return { seen, events }
}

describe('authorize sees the effect of an action, however it is spelled', () => {
  const words = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.trim() !== '')
  const kinds: readonly [string, (text: string) => Spelling[], (text: string) => Action][] = [
    [
      'a prompt for an agent',
      inferSpellings,
      (prompt) => ({ type: 'agent_call', agent: 'poet', action: 'infer', prompt }),
    ],
    [
      'a tool of an agent',
      agentToolSpellings,
      (q) => ({
        type: 'agent_call',
        agent: 'clerk',
        action: 'tool_call',
        tool: 'file',
        args: { q },
      }),
    ],
    ['a local tool', localSpellings, (q) => ({ type: 'tool_call', tool: 'local', args: { q } })],
  ]
  test.each(kinds)(
    'authorize sees the effect of an action, however it is spelled: %s',
    async (_name, spell, expected) => {
      const count = spell('x').length
      await fc.assert(
        fc.asyncProperty(words, fc.nat({ max: count - 1 }), async (text, index) => {
          const { seen, events } = await authorized(spell(text)[index] as Spelling)
          expect(seen).toEqual([expected(text)])
          expect(events.some(({ type }) => ['tool-start', 'agent-call-start'].includes(type))).toBe(
            false,
          )
        }),
        {
          numRuns: count * 4,
          examples: Array.from({ length: count }, (_, index): [string, number] => ['x', index]),
        },
      )
    },
  )

  test('a tool of the application may have the name of a delegation tool if there are no agents', async () => {
    const seen: Action[] = []
    const tool = defineTool({
      name: 'delegate_to_agent',
      description: 'The application’s own',
      parameters: { type: 'object' },
      execute: () => 'done',
    })
    await run(
      [
        { toolCalls: [{ name: 'delegate_to_agent', arguments: { agent: 'poet', prompt: 'p' } }] },
        'ok',
      ],
      {
        tools: [tool],
        authorize: (asked) => {
          seen.push(asked)
          return { effect: 'allow' }
        },
      },
    )
    expect(seen).toEqual([
      { type: 'tool_call', tool: 'delegate_to_agent', args: { agent: 'poet', prompt: 'p' } },
    ])
  })
})

describe('corrections in JSON mode', () => {
  const hidden = /delegate_to_agent|call_agent_tool/
  test.each<[string, object, readonly AgentTarget[], string]>([
    ['an unknown tool', { type: 'tool_call', tool: 'nothing' }, agents, 'The tools are: local.'],
    [
      'an unknown agent',
      { type: 'agent_call', agent: 'nobody', action: 'infer', prompt: 'p' },
      agents,
      'agents: poet, clerk',
    ],
    [
      'an agent where there is none',
      { type: 'agent_call', agent: 'nobody', action: 'infer', prompt: 'p' },
      [],
      'there are no agents',
    ],
    [
      'an unknown tool of an agent',
      { type: 'agent_call', agent: 'poet', action: 'tool_call', tool: 'rhyme' },
      agents.slice(0, 1),
      'its tools: none',
    ],
    [
      'an agent that throws',
      { type: 'agent_call', agent: 'angry', action: 'infer', prompt: 'p' },
      [{ name: 'angry', description: '', call: () => Promise.reject(new Error('leave me alone')) }],
      'The agent \\"angry\\" failed: leave me alone',
    ],
  ])(
    '%s is corrected without the names of tools that the model was not shown',
    async (_name, asked, known, told) => {
      const { provider } = await run([action(asked), action({ type: 'final', content: 'ok' })], {
        mode: 'json',
        agents: known,
        tools: [local],
      })
      expect(provider.requests[1]?.messages.at(-1)?.content).toContain(told)
      expect(JSON.stringify(provider.requests)).not.toMatch(hidden)
    },
  )

  test('native mode unwraps a reply that was printed as an action', async () => {
    const { result } = await run([action({ type: 'final', content: 'the answer' })])
    expect(result).toMatchObject({ status: 'final', content: 'the answer', text: 'the answer' })
  })
})
