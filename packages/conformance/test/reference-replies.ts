import type { JsonObject } from '@modelport/core'
import type { ScriptTurn } from '../src/script.js'
import type { WireConversation, WireFormat, WireRequest } from '../src/wire-format.js'

interface Facts {
  /** How many assistant messages the conversation has. */
  readonly turns: number
  /** All user text, in lower case. */
  readonly user: string
  readonly last: WireConversation['messages'][number] | undefined
  readonly tools: boolean
}

interface Reply {
  readonly when: (facts: Facts) => boolean
  readonly say: string | { readonly name: string; readonly arguments: JsonObject }
}

const has = ({ user }: Facts, ...words: readonly string[]): boolean =>
  words.every((word) => user.includes(word))
const call = (name: string, values: JsonObject): Reply['say'] => ({ name, arguments: values })
const secret = (facts: Facts): boolean => has(facts, 'shadow') || has(facts, 'secret')

/** What the mock model of the reference system answers; the first row that fits wins. */
const replies: readonly Reply[] = [
  {
    when: ({ tools, turns, user }) => tools && turns === 0 && user !== '',
    say: call('load_tools', { groups: ['files', 'shell', 'git', 'memory'] }),
  },
  {
    when: (facts) => facts.turns === 1 && has(facts, '/etc/shadow'),
    say: call('read_file', { path: '/etc/shadow' }),
  },
  {
    when: (facts) => facts.turns === 1 && has(facts, 'read', 'file'),
    say: call('read_file', { path: 'e2e-readme.md' }),
  },
  {
    when: (facts) => facts.turns === 1 && has(facts, 'write', 'test.txt'),
    say: call('write_file', { path: 'test.txt', content: 'hello from e2e test' }),
  },
  {
    when: (facts) => facts.turns === 1 && (has(facts, 'write to memory') || has(facts, 'remember')),
    say: call('memory_write', { content: 'a fact to remember', category: 'fact' }),
  },
  {
    when: (facts) =>
      facts.turns === 1 &&
      (has(facts, 'delegate') || has(facts, 'sub-agent') || has(facts, 'create a sub')),
    say: call('create_agent', { task: 'the delegated task', tools: ['files'] }),
  },
  {
    when: (facts) => facts.turns === 1 && (has(facts, 'list files') || has(facts, 'directory')),
    say: call('list_directory', { path: '.' }),
  },
  {
    when: (facts) => facts.turns === 2 && has(facts, 'email') && secret(facts),
    say: call('send_email', {
      to: 'someone@example.com',
      subject: 'The file',
      body: 'its content',
    }),
  },
  {
    when: (facts) => facts.turns === 2 && has(facts, 'remember') && secret(facts),
    say: call('memory_write', { content: 'the secret', category: 'fact' }),
  },
  { when: ({ last }) => last?.role === 'tool', say: 'Done. The tool call completed successfully.' },
  { when: () => true, say: 'I understand. How can I help?' },
]

/**
 * The mock model of the reference system as a reply of the wire server: tools by what the user
 * asks, text in words, usage 50/10 for a stream and 10/5 for a whole reply, ids `call_mock_1`,
 * `call_mock_2`, …
 */
export function createReferenceReply(): (
  request: WireRequest,
  context: { readonly format: WireFormat },
) => ScriptTurn {
  let ids = 0
  return (request, { format }) => {
    const conversation = format.read(request)
    const facts = factsOf(conversation)
    const say = replies.find(({ when }) => when(facts))?.say ?? ''
    const usage = conversation.stream
      ? { inputTokens: 50, outputTokens: 10 }
      : { inputTokens: 10, outputTokens: 5 }
    if (typeof say !== 'string')
      return { toolCalls: [{ id: `call_mock_${++ids}`, ...say }], finish: 'tool-calls', usage }
    return { text: say.split(/(?= )/), finish: 'stop', usage }
  }
}

function factsOf({ messages, tools }: WireConversation): Facts {
  const user = messages
    .map((message) => (message.role === 'user' ? message.text : ''))
    .join('\n')
    .trim()
  return {
    turns: messages.filter(({ role }) => role === 'assistant').length,
    user: user.toLowerCase(),
    last: messages.at(-1),
    tools: tools.length > 0,
  }
}
