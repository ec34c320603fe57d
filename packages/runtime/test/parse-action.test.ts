import { describe, expect, test } from 'vitest'
import { parseAction } from '../src/index.js'
import { ActionParseError } from '../src/reply/action-parse-error.js'

const targets = {
  tools: ['search', 'get_weather'],
  agents: ['researcher', 'clerk'],
  agentTools: { clerk: ['file'] },
}
const actionOf = (text: string) => parseAction(text, targets).action
const errorOf = (text: string): ActionParseError => {
  try {
    parseAction(text, targets)
  } catch (error) {
    if (error instanceof ActionParseError) return error
    throw error
  }
  throw new Error(`accepted: ${text}`)
}

describe('what is read', () => {
  const content = 'Use {braces} and "quotes" and \\ here'
  test.each<[name: string, text: string, expected: unknown]>([
    [
      'strict',
      '{"type":"tool_call","tool":"search","args":{"q":"a"}}',
      { type: 'tool_call', tool: 'search', args: { q: 'a' } },
    ],
    [
      'no args',
      '{"type":"tool_call","tool":"search"}',
      { type: 'tool_call', tool: 'search', args: {} },
    ],
    [
      'a thought',
      '{"type":"final","content":"x","thought":"y"}',
      { type: 'final', content: 'x', thought: 'y' },
    ],
    [
      'an agent asked',
      '{"type":"agent_call","agent":"researcher","action":"infer","prompt":"p"}',
      { type: 'agent_call', agent: 'researcher', action: 'infer', prompt: 'p' },
    ],
    [
      'fenced, after prose with braces',
      `Here {not valid JSON}:\n\`\`\`json\n${JSON.stringify({ type: 'final', content })}\n\`\`\``,
      { type: 'final', content },
    ],
    [
      'in prose',
      'Action follows:\n{"type":"tool_call","tool":"search","args":{"q":{"deep":"}"}}}\nDone.',
      { type: 'tool_call', tool: 'search', args: { q: { deep: '}' } } },
    ],
    [
      'literal reasoning tags in content',
      '{"type":"final","content":"<think>{\\"a\\":1}</think>"}',
      { type: 'final', content: '<think>{"a":1}</think>' },
    ],
    [
      'after a reasoning block with a decoy',
      '<think>{"type":"final","content":"decoy"}</think>\n{"type":"final","content":"observable answer"}',
      { type: 'final', content: 'observable answer' },
    ],
    [
      'a trailing comma',
      '{"type":"final","content":"literal comma before close: ,}",}',
      { type: 'final', content: 'literal comma before close: ,}' },
    ],
    [
      'a payload',
      '{"type":"tool_call","payload":{"tool":"search","args":{"q":1}}}',
      { type: 'tool_call', tool: 'search', args: { q: 1 } },
    ],
    [
      'a payload that repeats a field of the action, which wins',
      '{"type":"tool_call","tool":"search","payload":{"tool":"get_weather","args":{"q":1}}}',
      { type: 'tool_call', tool: 'search', args: { q: 1 } },
    ],
    [
      'null for the fields of other actions',
      '{"type":"tool_call","tool":"search","args":{"q":null},"agent":null,"prompt":null,"content":null,"thought":null}',
      { type: 'tool_call', tool: 'search', args: { q: null } },
    ],
    [
      'a call as code in the prompt',
      '{"type":"tool_call","prompt":"search(q=\'x\')"}',
      { type: 'tool_call', tool: 'search', args: { q: 'x' } },
    ],
    [
      'a call as code of an agent',
      "clerk.file(name='x', tags=['a', {'b': None}], at=-1.5e3)",
      {
        type: 'agent_call',
        agent: 'clerk',
        action: 'tool_call',
        tool: 'file',
        args: { name: 'x', tags: ['a', { b: null }], at: -1500 },
      },
    ],
    [
      'a call as code of an agent in a field',
      '{"type":"agent_call","agent":"clerk","action":"tool_call","prompt":"file(name=\'x\')","thought":"t"}',
      {
        type: 'agent_call',
        agent: 'clerk',
        action: 'tool_call',
        tool: 'file',
        args: { name: 'x' },
        thought: 't',
      },
    ],
    [
      'a call as code with one dictionary',
      `search({'q': "it's", "n": [1, 2,],})`,
      { type: 'tool_call', tool: 'search', args: { q: "it's", n: [1, 2] } },
    ],
    [
      'the agent that advertises the tool',
      '{"type":"agent_call","action":"tool_call","tool":"file","args":{}}',
      { type: 'agent_call', agent: 'clerk', action: 'tool_call', tool: 'file', args: {} },
    ],
    [
      'a local tool asked of an agent that lacks it',
      '{"type":"agent_call","agent":"clerk","action":"tool_call","tool":"search","args":{"q":1}}',
      { type: 'tool_call', tool: 'search', args: { q: 1 } },
    ],
    [
      'a local tool asked of nobody',
      '{"type":"agent_call","action":"tool_call","tool":"search","args":{"q":1}}',
      { type: 'tool_call', tool: 'search', args: { q: 1 } },
    ],
    [
      'a call as code',
      "get_weather(city='Paris', days=2, exact=True)",
      { type: 'tool_call', tool: 'get_weather', args: { city: 'Paris', days: 2, exact: true } },
    ],
    [
      'a call as code in its field',
      '{"type":"tool_call","tool":"get_weather(city=\\"Rome\\")"}',
      { type: 'tool_call', tool: 'get_weather', args: { city: 'Rome' } },
    ],
    [
      'a prompt that looks like a call',
      '{"type":"agent_call","agent":"clerk","action":"infer","prompt":"file(name=1)"}',
      { type: 'agent_call', agent: 'clerk', action: 'infer', prompt: 'file(name=1)' },
    ],
    [
      'a local tool of no agent',
      '{"type":"agent_call","agent":"me","action":"tool_call","tool":"search","args":{"q":1}}',
      { type: 'tool_call', tool: 'search', args: { q: 1 } },
    ],
  ])('parseAction reads a reply: %s', (_name, text, expected) => {
    expect(actionOf(text)).toEqual(expected)
  })

  test.each([{ a: 'é', list: [1, true, null] }, [1, 2], 42])(
    'content that is %j becomes its JSON',
    (value) => {
      const action = actionOf(JSON.stringify({ type: 'final', content: value }))
      expect(action.type === 'final' && JSON.parse(action.content)).toEqual(value)
    },
  )

  test.each([
    { statement: 'x', evidence_ids: ['E4'] },
    { move: 'a', target_id: 't', message: 'm' },
  ])('a bare reply %j is final', (value) => {
    const action = actionOf(JSON.stringify(value))
    expect(action.type === 'final' && JSON.parse(action.content)).toEqual(value)
  })

  test('parseAction fills in the only agent', () => {
    const { action } = parseAction('{"type":"agent_call","action":"infer","prompt":"p"}', {
      tools: [],
      agents: ['researcher'],
    })
    expect(action).toEqual({
      type: 'agent_call',
      agent: 'researcher',
      action: 'infer',
      prompt: 'p',
    })
  })

  test.each([
    'search(q=1, q=2)',
    "search({'q': 1}, 2)",
    'search(q=[1)',
    'search(q=' + '['.repeat(40) + ']'.repeat(40) + ')',
    'nobody.search(q=1)',
    'clerk.search(q=1)',
    'search(q=__import__("os"))',
  ])('parseAction refuses %s, which is not a call with literal arguments', (text) => {
    expect(() => parseAction(text, targets)).toThrow(ActionParseError)
  })

  test.each([1, null, undefined, {}])(
    'parseAction refuses %j with a typed error, since it is not a text',
    (text) => {
      expect(() => parseAction(text as never)).toThrow(
        expect.objectContaining({ code: 'invalid-request' }) as Error,
      )
    },
  )

  test('repairs are listed, and none for an exact reply', () => {
    expect(parseAction('{"type":"final","content":"x"}').repairs).toEqual([])
    expect(parseAction('Well: {"type":"final","content":"x",}').repairs).toEqual([
      'text around the JSON object ignored',
      'trailing comma removed',
    ])
  })
})

describe('what is refused', () => {
  test.each<[name: string, text: string, message: string]>([
    [
      'two answers',
      '{"type":"final","content":"a"}\n{"type":"final","content":"b"}',
      'found 2 valid top-level JSON objects',
    ],
    ['an unknown type', '{"type":"shout","content":"a"}', 'Action validation failed'],
    ['no type', '{"tool":"search","args":{}}', 'Action validation failed'],
    ['no type, an agent', '{"agent":"researcher","prompt":"p"}', 'Action validation failed'],
    ['no type, content', '{"content":{"a":1}}', 'Action validation failed'],
    ['nothing', '{}', 'Action validation failed'],
    ['an action only thought of', '<think>{"type":"final","content":"a"}</think>', 'Invalid JSON'],
    [
      'thinking without end',
      '<think>unfinished\n{"type":"final","content":"a"}',
      'unterminated leading reasoning block',
    ],
    [
      'an object cut off, whatever it holds',
      '{"type":"tool_call","tool":"search","args":{"q":1}',
      'cut off',
    ],
    [
      'prose before one cut off',
      'Sure! {"type":"tool_call","tool":"search","args":{"a":{"b":1}',
      'cut off',
    ],
    ['malformed', '{"type":"final","content":"a" "b"}', 'malformed'],
    [
      'one good, one malformed',
      '{"type":"final" "content"} {"type":"final","content":"a"}',
      'malformed',
    ],
    [
      'blank prompt',
      '{"type":"agent_call","agent":"researcher","action":"infer","prompt":" "}',
      "'agent_call -> prompt'",
    ],
    [
      'a prompt next to a tool',
      '{"type":"agent_call","agent":"researcher","action":"tool_call","tool":"t","prompt":"p"}',
      'unknown field prompt',
    ],
    ['a list', '[{"type":"final","content":"a"}]', 'not an object'],
    [
      'a polluting key',
      '{"type":"tool_call","tool":"search","args":{"\\u005f_proto__":{"a":1}}}',
      '__proto__',
    ],
    ['a call of an unknown tool as code', 'launch(city="x")', 'Invalid JSON'],
    ['a call with an expression', 'search(q=1+1)', 'Invalid JSON'],
    [
      'deep nesting',
      `{"type":"final","content":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      'nested deeper',
    ],
  ])('parseAction refuses a reply: %s', (_name, text, message) => {
    expect(errorOf(text).message).toContain(message)
  })

  test('garbage of 10,000 characters is shown from both ends', () => {
    const { message } = errorOf(`HEAD${'x'.repeat(10_000)}TAIL`)
    expect(message.length).toBeLessThan(2000)
    expect(message).toContain('Raw response (truncated;')
    expect(message).toMatch(/HEAD[^]*TAIL/)
  })

  test('a missing field is named, and the keys are shown in order', () => {
    const { message } = errorOf(JSON.stringify({ type: 'final', zeta: 'z'.repeat(3000), alpha: 1 }))
    expect(message).toContain("Field 'final -> content'")
    expect(message).toContain('{"alpha":1,"type":"final","zeta":"zz')
    expect(message.length).toBeLessThan(2000)
  })

  test('an agent call with a wrong action keeps what was found apart from what the model reads', () => {
    const text = '{"type":"agent_call","agent":"researcher","action":"dance"}'
    const error = errorOf(text)
    expect(error).toMatchObject({
      actionType: 'agent_call',
      rawResponse: text,
      parsedData: JSON.parse(text) as unknown,
      code: 'protocol',
    })
    expect(error.feedback).not.toContain('Parsed data')
    expect(error.feedback).toContain("'agent_call -> action'")
  })

  test('an empty reply is refused', () => {
    const error = errorOf('')
    expect(error).toMatchObject({ rawResponse: '', parsedData: null })
    expect(error.feedback).toMatch(/^Invalid JSON:/)
    expect(error.message).toContain('Raw response: <empty>')
  })
})

test('hostile texts take time in proportion', () => {
  // By the square of its length each would take minutes.
  const hostile = [
    '{"a":'.repeat(200_000),
    '{'.repeat(1_000_000),
    '{"a":1}'.repeat(150_000),
    `{"a":"${'\\"'.repeat(500_000)}`,
    ','.repeat(1_000_000),
    `{"a":[${', '.repeat(500_000)}]}`,
    `search(q="${'\\'.repeat(1_000_001)}")`,
    '<think>'.repeat(200_000),
  ]
  for (const text of hostile) expect(errorOf(text).code).toBe('protocol')
})
