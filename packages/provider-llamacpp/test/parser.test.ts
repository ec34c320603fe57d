import { Template } from '@huggingface/jinja'
import type { NeutralRecord } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { ChatTemplate } from '../src/chat-template.js'
import { type ReplyMarks, ReplyParser } from '../src/reply-parser.js'

// The ways in which families of models write calls, each cut down from its own template to what the
// calls need.
const templates = {
  hermes: `{%- if tools -%}{{- '<|im_start|>system\\n' + (tools | tojson) + '<|im_end|>\\n' -}}{%- endif -%}
{%- for m in messages -%}
{{- '<|im_start|>' + m.role + '\\n' + m.content -}}
{%- for c in m.tool_calls or [] -%}
{%- if m.content or not loop.first -%}{{- '\\n' -}}{%- endif -%}
{{- '<tool_call>\\n{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}
{%- if enable_thinking is defined and enable_thinking is false -%}{{- '<think>\\n\\n</think>\\n\\n' -}}{%- endif -%}
{%- endif -%}`,
  bare: `{%- for m in messages -%}
{{- '<|start|>' + m.role + '<|end|>\\n\\n' -}}
{%- if m.tool_calls -%}
{%- if m.tool_calls | length > 1 -%}{{- raise_exception('only one tool call') -}}{%- endif -%}
{{- '{"name": "' + m.tool_calls[0].function.name + '", "parameters": ' + (m.tool_calls[0].function.arguments | tojson) + '}' -}}
{%- else -%}{{- m.content -}}
{%- if loop.first and tools -%}{{- tools | tojson -}}{%- endif -%}
{%- endif -%}
{{- '<|eot|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start|>assistant<|end|>\\n\\n' -}}{%- endif -%}`,
  list: `{%- if tools -%}{{- '[AVAILABLE_TOOLS]' + (tools | tojson) + '[/AVAILABLE_TOOLS]' -}}{%- endif -%}
{%- for m in messages -%}
{%- if m.role == 'user' -%}{{- '[INST]' + m.content + '[/INST]' -}}
{%- elif m.tool_calls -%}
{{- m.content + '[TOOL_CALLS][' -}}
{%- for c in m.tool_calls or [] -%}
{{- '{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}' -}}
{%- if not loop.last -%}{{- ', ' -}}{%- endif -%}
{%- endfor -%}
{{- ']</s>' -}}
{%- else -%}{{- m.content + '</s>' -}}{%- endif -%}
{%- endfor -%}`,
  xml: `{{- tools | tojson -}}{%- for m in messages -%}{{- m.content -}}{%- for c in m.tool_calls or [] -%}{{- '<function=' + c.function.name + '>' -}}{%- for k, v in c.function.arguments.items() -%}{{- '<parameter=' + k + '>' + v | string + '</parameter>' -}}{%- endfor -%}{{- '</function>' -}}{%- endfor -%}{%- endfor -%}`,
  none: '{% for m in messages %}{{ m.content }}{% endfor %}',
}
const read = (source: string): ChatTemplate =>
  new ChatTemplate(new Template(source), source, {}, () => false)

function parse(
  marks: Partial<ReplyMarks>,
  pieces: readonly string[],
): { records: NeutralRecord[]; parser: ReplyParser } {
  const parser = new ReplyParser({
    thinking: undefined,
    startsThinking: false,
    calls: undefined,
    stop: [],
    ...marks,
  })
  const records = pieces.flatMap((piece) => parser.push(piece))
  return { records: [...records, ...parser.end()], parser }
}

/** What the records come to: reasoning, text and the calls' names and arguments. */
function sum(records: readonly NeutralRecord[]) {
  const calls: { name: string; text: string; ended: boolean }[] = []
  let text = ''
  let reasoning = ''
  for (const record of records) {
    if (record.type === 'text') text += record.text
    if (record.type === 'reasoning') reasoning += record.text
    if (record.type !== 'call') continue
    const call = (calls[record.index] ??= { name: '', text: '', ended: false })
    call.name ||= record.name ?? ''
    call.text += record.arguments ?? ''
    call.ended ||= !record.more
  }
  return {
    text,
    reasoning,
    calls: calls.map(({ name, text: value, ended }) => `${name} ${value}${ended ? '' : ' …'}`),
  }
}

/** The text in pieces of each length, whole first. */
const cuts = (text: string): string[][] =>
  [text.length, 1, 2, 3, 5, 7, 11].map((size) =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    ),
  )
const thinking = { open: '<think>', close: '</think>' }

describe('calls, as templates write them,', () => {
  test('calls as templates write them are read between tags', () => {
    expect(read(templates.hermes).calls).toEqual({
      open: '<tool_call>',
      bare: false,
      list: false,
      close: '</tool_call>',
      prefix: '<tool_call>\n{"name": "',
      middle: '", "arguments": ',
      suffix: '}\n</tool_call>',
      between: '\n<tool_call>\n{"name": "',
      end: '',
    })
  })

  test('calls as templates write them are read bare', () => {
    expect(read(templates.bare).calls).toMatchObject({
      open: '{"name":',
      bare: true,
      close: '',
      prefix: '{"name": "',
      middle: '", "parameters": ',
      suffix: '}',
      between: undefined,
    })
  })

  test('calls as templates write them are read as a list', () => {
    expect(read(templates.list).calls).toMatchObject({
      open: '[TOOL_CALLS]',
      list: true,
      prefix: '[TOOL_CALLS][{"name": "',
      suffix: '}',
      between: ', {"name": "',
      end: ']',
    })
  })

  test('calls as templates write them are read in another way, or not at all', () => {
    expect(read(templates.xml).calls).toBeUndefined()
    expect(read(templates.none).calls).toBeUndefined()
  })

  test('a template shows thinking and its switch, and where system messages may stand', () => {
    expect(read(templates.hermes)).toMatchObject({
      thinking,
      switchesThinking: true,
      system: 'anywhere',
    })
    expect(read(templates.none)).toMatchObject({ thinking: undefined, switchesThinking: false })
    const first =
      '{% for m in messages %}{% if m.role == "system" and not loop.first %}{{ raise_exception("first only") }}{% endif %}{{ m.content }}{% endfor %}'
    expect(read(first).system).toBe('first')
    const never =
      '{% for m in messages %}{% if m.role == "system" %}{{ raise_exception("no system") }}{% endif %}{{ m.role }}: {{ m.content }}\n{% endfor %}'
    expect(read(never).system).toBe('none')
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'system', content: 'b' },
    ] as const
    expect(read(first).render({ messages, generate: true })).toBe('ba')
    expect(read(never).render({ messages, generate: true })).toBe('user: b\n\na\n')
  })
})

describe('reading a reply', () => {
  const hermes = read(templates.hermes).calls

  test.each<[string, Partial<ReplyMarks>, string, ReturnType<typeof sum>]>([
    ['text', {}, 'Hello <b>you</b>\n', { text: 'Hello <b>you</b>\n', reasoning: '', calls: [] }],
    [
      'thinking',
      { thinking },
      '<think>\nhm <x>\n</think>\n\nYes',
      { text: 'Yes', reasoning: 'hm <x>', calls: [] },
    ],
    [
      'thinking that the prompt began',
      { thinking, startsThinking: true },
      '\nhm\n</think>\n\nYes',
      { text: 'Yes', reasoning: 'hm', calls: [] },
    ],
    [
      'thinking without an end',
      { thinking, startsThinking: true },
      'hm\n</thi',
      { text: '', reasoning: 'hm\n</thi', calls: [] },
    ],
    [
      'a tag in the middle of text is text',
      { thinking },
      'Write <think> here',
      { text: 'Write <think> here', reasoning: '', calls: [] },
    ],
    [
      'calls',
      { calls: hermes },
      '<tool_call>\n{"name": "a", "arguments": {"x": "}</tool_call>\\"{"}}\n</tool_call>\n<tool_call>\n{"name": "b", "arguments": {}}\n</tool_call>',
      { text: '', reasoning: '', calls: ['a {"x": "}</tool_call>\\"{"}', 'b {}'] },
    ],
    [
      'text before and after a call',
      { calls: hermes },
      'Well.\n<tool_call>{"name":"a","arguments":{"x":[1,{"y":2}]}}</tool_call>\nDone',
      { text: 'Well.Done', reasoning: '', calls: ['a {"x":[1,{"y":2}]}'] },
    ],
    [
      'thinking, then a call',
      { thinking, calls: hermes },
      '<think>hm</think>\n<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>',
      { text: '', reasoning: 'hm', calls: ['a {"x": 1}'] },
    ],
    [
      'a call in another order',
      { calls: hermes },
      '<tool_call>{"arguments": {"x": 1}, "name": "a"}</tool_call>',
      { text: '', reasoning: '', calls: ['a {"x":1}'] },
    ],
    [
      'arguments that are JSON in a text',
      { calls: hermes },
      '<tool_call>{"name": "a", "arguments": "{\\"x\\": 1}"}</tool_call>',
      { text: '', reasoning: '', calls: ['a {"x": 1}'] },
    ],
    [
      'a call with further fields',
      { calls: hermes },
      '<tool_call>{"name": "a", "arguments": {"x": 1}, "id": "}"}</tool_call>',
      { text: '', reasoning: '', calls: ['a {"x": 1}'] },
    ],
    [
      'malformed arguments are kept',
      { calls: hermes },
      '<tool_call>{"name": "a", "arguments": {"x": 1,}}</tool_call>',
      { text: '', reasoning: '', calls: ['a {"x": 1,}'] },
    ],
    [
      'arguments that never close',
      { calls: hermes },
      '<tool_call>{"name": "a", "arguments": {"x": [1 </tool_call>ok',
      { text: 'ok', reasoning: '', calls: ['a {"x": [1 '] },
    ],
    [
      'a call that is cut',
      { calls: hermes },
      '<tool_call>\n{"name": "a", "arguments": {"x": "lo',
      { text: '', reasoning: '', calls: ['a {"x": "lo …'] },
    ],
    [
      'text that looks like a call but is not one',
      { calls: hermes },
      '<tool_call>not json</tool_call> so',
      { text: '<tool_call>not json</tool_call> so', reasoning: '', calls: [] },
    ],
    [
      'a call that ends before it says its name',
      { calls: hermes },
      '<tool_call>\n{"na',
      { text: '<tool_call>\n{"na', reasoning: '', calls: [] },
    ],
    [
      'without tools marks are text',
      {},
      '<tool_call>{}</tool_call>',
      { text: '<tool_call>{}</tool_call>', reasoning: '', calls: [] },
    ],
    [
      'bare calls',
      { calls: read(templates.bare).calls },
      '{"name": "a", "parameters": {"x": 1}}',
      { text: '', reasoning: '', calls: ['a {"x": 1}'] },
    ],
    [
      'JSON that is not a bare call',
      { calls: read(templates.bare).calls },
      'See {"name": 1}',
      { text: 'See {"name": 1}', reasoning: '', calls: [] },
    ],
    [
      'a list of calls',
      { calls: read(templates.list).calls },
      '[TOOL_CALLS][{"name": "a", "arguments": {"x": [1]}}, {"name": "b", "arguments": {}}] ok',
      { text: 'ok', reasoning: '', calls: ['a {"x": [1]}', 'b {}'] },
    ],
    [
      'a stop text',
      { stop: ['END', 'E!'] },
      'One ENE! two',
      { text: 'One EN', reasoning: '', calls: [] },
    ],
    [
      'white space at the end',
      { calls: hermes },
      'a \n\n',
      { text: 'a \n\n', reasoning: '', calls: [] },
    ],
  ])('a reply is read however it is cut: %s', (_, marks, text, expected) => {
    for (const pieces of cuts(text))
      expect(sum(parse(marks, pieces).records), JSON.stringify(pieces)).toEqual(expected)
  })

  test('text goes out as soon as it is clear', () => {
    const parser = new ReplyParser({
      thinking,
      startsThinking: false,
      calls: hermes,
      stop: ['STOP'],
    })
    const given = ['Hi', ' <', 'b> S', 'TO', 'ck'].map((piece) => sum(parser.push(piece)).text)
    expect(given).toEqual(['Hi', '', ' <b>', '', ' STOck'])
  })

  test('a malformed call is reported', () => {
    expect(parse({ calls: hermes }, ['<tool_call>no</tool_call>']).records).toContainEqual({
      type: 'warning',
      text: expect.stringContaining('tool call'),
    })
  })

  test('probabilities stay with their text, and marks have none', () => {
    const parser = new ReplyParser({ thinking, startsThinking: true, calls: hermes, stop: [] })
    const pieces = [
      'hm',
      '</think>',
      '\n\n',
      'Yes',
      '<tool_',
      'call>',
      '{"name": "a", "arguments": {}}',
      '</tool_call>',
    ]
    const records = pieces.flatMap((token) => parser.push(token, { token, logprob: -1 }))
    const tokens = records.flatMap((record) =>
      record.type === 'logprobs' ? record.tokens.map(({ token }) => token) : [],
    )
    expect(tokens).toEqual(['\n\n', 'Yes'])
  })
})
