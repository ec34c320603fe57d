import { LlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  choice,
  createAgents,
  createDialogCaller,
  Dialog,
  definePrompt,
  json,
  PromptRegistry,
  tags,
} from '../src/index.js'
import { PromptFileError } from '../src/node.js'
import { parsePromptFile } from '../src/prompt/prompt-file.js'

/** What an action complains about. */
async function complaintOf(action: () => unknown): Promise<string> {
  try {
    await action()
  } catch (error) {
    if (error instanceof LlmError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'no complaint'
}

/** What an action throws. */
function errorOf(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}

const system = definePrompt({ path: 'system', text: 'You help with {field}.' })
const ask = definePrompt({
  path: 'ask',
  text: 'What is {thing}?',
  parse: json(z.object({ a: z.string() })),
})
const repair = 'correct it, or store the dialog again with toJson'

describe('a stored dialog that is wrong', () => {
  const registry = new PromptRegistry([system, ask])
  const stored = Dialog.seed(system, { field: 'physics' }).send(ask, { thing: 'heat' }).toJson()
  const withMessage = (message: unknown) => ({ ...stored, messages: [message] })
  const withTurn = (turn: object) => ({
    ...stored,
    top: 0,
    prompts: [{ at: 0, path: 'ask', hash: ask.hash, args: {}, ...turn }],
  })
  const withCall = (call: unknown) =>
    withMessage({ role: 'assistant', content: '', toolCalls: [call] })
  const user = (content: unknown) => withMessage({ role: 'user', content })

  test.each([
    [null, `the whole: expected an object, found null; ${repair}`],
    [
      '{"version":1}',
      `the whole: expected an object, found "{\\"version\\":1}"; read it with JSON.parse first`,
    ],
    [
      { ...stored, version: 2 },
      '/version: expected 1, found 2; a newer form needs a newer version of @modelport/dialog',
    ],
    [{ ...stored, messages: {} }, `/messages: expected a list, found {}; ${repair}`],
    [withMessage('Hi'), `/messages/0: expected a message, found "Hi"; ${repair}`],
    [
      withMessage({ role: 'robot', content: '' }),
      `/messages/0/role: expected one of system, user, assistant, tool, found "robot"; ${repair}`,
    ],
    [
      user(5),
      `/messages/0/content: expected a text or a list of content parts, found 5; ${repair}`,
    ],
    [user(['x']), `/messages/0/content/0: expected a content part, found "x"; ${repair}`],
    [
      user([{ type: 'video' }]),
      `/messages/0/content/0/type: expected one of text, image, audio, file, found "video"; ${repair}`,
    ],
    [
      user([{ type: 'text' }]),
      `/messages/0/content/0/text: expected a text, found nothing; ${repair}`,
    ],
    [
      user([{ type: 'image', source: 'x'.repeat(99) }]),
      `/messages/0/content/0/source: expected an object, found "${'x'.repeat(56)}...; ${repair}`,
    ],
    [
      withMessage({ role: 'tool', content: '', toolCallId: 7 }),
      `/messages/0/toolCallId: expected the id of the call that the result belongs to, found 7; ${repair}`,
    ],
    [
      withMessage({ role: 'assistant', content: '', toolCalls: 'look' }),
      `/messages/0/toolCalls: expected a list of tool calls, found "look"; ${repair}`,
    ],
    [withCall('look'), `/messages/0/toolCalls/0: expected a tool call, found "look"; ${repair}`],
    [withCall({ id: 1 }), `/messages/0/toolCalls/0/id: expected a text, found 1; ${repair}`],
    [
      withCall({ id: 'a', name: 'b', argumentsText: '[]', arguments: [] }),
      `/messages/0/toolCalls/0/arguments: expected an object, found []; ${repair}`,
    ],
    [{ ...stored, prompts: 'x' }, `/prompts: expected a list, found "x"; ${repair}`],
    [{ ...stored, prompts: [3] }, `/prompts/0: expected an object, found 3; ${repair}`],
    [
      withTurn({ at: 9 }),
      `/prompts/0/at: expected a place in messages, 0 to 1, found 9; ${repair}`,
    ],
    [withTurn({ path: 5 }), `/prompts/0/path: expected a text, found 5; ${repair}`],
    [withTurn({ hash: null }), `/prompts/0/hash: expected a text, found null; ${repair}`],
    [
      withTurn({ args: [] }),
      `/prompts/0/args: expected texts, numbers and booleans by name, found []; ${repair}`,
    ],
    [
      withTurn({ args: { a: [] } }),
      `/prompts/0/args/a: expected a text, a number or a boolean, found []; ${repair}`,
    ],
    [
      withTurn({ path: 'asks' }),
      '/prompts/0/path: no prompt "asks" is registered; register it; did you mean "ask"?',
    ],
    [
      withTurn({ hash: 'old wording' }),
      `/prompts/0/hash: the prompt "ask" has changed since (expected ${ask.hash.slice(0, 12)}, found old wording); set acceptChangedPrompts to use the new one`,
    ],
    [{ ...stored, top: 7 }, `/top: expected a place in prompts, 0 to 1, found 7; ${repair}`],
    [
      { ...stored, prompts: [], top: 0 },
      `/top: expected no place, as prompts is empty, found 0; ${repair}`,
    ],
  ])(
    'a stored dialog that is wrong is refused with its source, the pointer, what was found and what to do: %#',
    async (wrong, message) => {
      const source = 'heat.json'
      expect(await complaintOf(() => Dialog.fromJson(wrong, registry, { source }))).toBe(
        `invalid-request: ${source}, ${message}`,
      )
      expect(await complaintOf(() => Dialog.fromJson(wrong, registry))).toBe(
        `invalid-request: stored dialog, ${message}`,
      )
    },
  )
})

describe('a prompt file that is wrong', () => {
  const look = defineTool({ name: 'look', description: '', execute: () => '' })
  const forms = 'text, { choice: [...] }, { json: schema }, { many: parser } or { tags: {...} }'

  test.each([
    ['- a', 'line 2, column 1: the front matter must be settings by name, not ["a"]'],
    [
      'a: [',
      'line 2, column 5: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    [
      'onParseErorr: x',
      'line 2, column 1: unknown setting "onParseErorr"; did you mean "onParseError"?',
    ],
    ['parse: 5', `line 2, column 1: parse must be ${forms}, not 5`],
    ['tools: []\nparse: { json: 5 }', 'line 3, column 10: parse.json must be a JSON Schema, not 5'],
    ['parse:\n  tags: 7', 'line 3, column 3: parse.tags must be settings by name, not 7'],
    [
      'parse:\n  tags:\n    xmls: [a]',
      'line 4, column 5: parse.tags.xmls is not a setting of tags; did you mean "xml"?',
    ],
    [
      'parse:\n  tags:\n    xml: 5',
      'line 4, column 5: parse.tags.xml must be a list of names, or parsers by name, not 5',
    ],
    ['parse:\n  tags:\n    xml: [a, a]', 'line 4, column 5: parse.tags.xml has the name "a" twice'],
    [
      'parse:\n  tags:\n    xml:\n      a: text\n      b: { chioce: [x] }',
      'line 6, column 12: parse.tags.xml.b.chioce is not a parser; did you mean "choice"?',
    ],
    [
      'parse:\n  tags:\n    xml:\n      a: { many: { choice: [yes, 2] } }',
      'line 5, column 20: parse.tags.xml.a.many.choice must be a list of texts, not ["yes",2]',
    ],
    [
      'parse:\n  tags:\n    xml: ["a b"]',
      'line 3, column 3: parse.tags is wrong: tags: "a b" is not a tag name; start it with a letter, then letters, digits, "_", "-" or "."',
    ],
    [
      'parse: { choice: [] }',
      'line 2, column 10: parse.choice is wrong: choice: give at least one choice',
    ],
    ['tools: look', 'line 2, column 1: tools must be a list of texts, not "look"'],
    ['tools:\n  - look\n  - lok', 'line 4, column 5: there is no tool "lok"; did you mean "look"?'],
    ['lastCall: 5', 'line 2, column 1: lastCall must be a text, not 5'],
    [
      'tools: []\nonParseError: "Fix {this one}"',
      'line 3, column 1: onParseError, line 1, column 5: "{this one}" is not a placeholder; write "{name}" for a placeholder and "{{" for a brace',
    ],
    ['options: 5', 'line 2, column 1: options must be settings by name, not 5'],
    [
      'options:\n  temperatur: 1',
      'line 3, column 3: options.temperatur is not an option of a call; did you mean "temperature"?',
    ],
    [
      'options:\n  topP: 1\n  temperature: 9',
      'line 4, column 3: temperature must be a number between 0 and 2, not 9',
    ],
    ['options: { stop: "." }', 'line 2, column 12: stop must be a list of texts, not "."'],
    [
      'options: { reasoning: huge }',
      'line 2, column 12: reasoning must be one of "none", "minimal", "low", "medium", "high", "xhigh", "max", not "huge"',
    ],
    ['webSearch: 5', 'line 2, column 1: webSearch must be true, false or settings by name, not 5'],
    [
      'webSearch: { whenMising: omit }',
      'line 2, column 1: webSearch: unknown setting "whenMising"; did you mean "whenMissing"?',
    ],
    [
      'computerUse: { width: 0.5 }',
      'line 2, column 1: computerUse: width must be a whole number of pixels, not 0.5',
    ],
    [
      'vendorMcp: true',
      'line 2, column 1: vendorMcp must be settings by name, or a list of them, not true',
    ],
    [
      'vendorMcp: { label: docs, url: "https://docs.example/mcp", requireApproval: sometimes }',
      'line 2, column 1: vendorMcp: requireApproval must be never or manual or auto, not "sometimes"',
    ],
    [
      'vendorMcp:\n  - { label: a, url: "https://a.example" }\n  - { label: b }',
      'line 4, column 5: vendorMcp: set label and url; found {"label":"b"}',
    ],
  ])(
    'a prompt file that is wrong is refused with file, line, what was found and what to do: %j',
    async (front, message) => {
      const read = () =>
        parsePromptFile(`---\n${front}\n---\nHi\n`, 'ask.md', 'ask', { tools: [look] })
      expect(await complaintOf(read)).toBe(`config: ask.md, ${message}`)
    },
  )

  test('a prompt file that is wrong is refused with everything that is wrong with it, in the order of its lines', () => {
    const front = [
      'parse:',
      '  tags:',
      '    xmls: [a]',
      '    xml:',
      '      a: { chioce: [x] }',
      '      b: { json: 5 }',
      'tools: [lok]',
      'onParseErorr: x',
      'lastCall: "Stop {right now} or }"',
      'options: { temperature: 9, topP: 3, maxTokns: 1 }',
      'webSearch: 5',
    ]
    const source = `---\n${front.join('\n')}\n---\n\nHi {you there},\nsay }\n`
    const error = errorOf(() => parsePromptFile(source, 'ask.md', 'ask', { tools: [look] }))
    if (!(error instanceof PromptFileError))
      throw new Error(`expected a PromptFileError, found ${String(error)}`)
    expect(error.problems.map(({ line, column }) => `${line}:${column}`)).toEqual([
      ...[
        '4:5',
        '6:12',
        '7:12',
        '8:9',
        '9:1',
        '10:1',
        '10:1',
        '11:12',
        '11:28',
        '11:37',
        '12:1',
        '15:4',
        '16:5',
      ],
    ])
    expect(error.message).toBe(error.problems.map(({ message }) => message).join('\n'))
    expect(error.problems[1]?.message).toBe(
      'ask.md, line 6, column 12: parse.tags.xml.a.chioce is not a parser; did you mean "choice"?',
    )
  })

  test('a prompt file that is wrong is refused if its aliases make it very large', () => {
    const level = (name: string, inner: string): string =>
      `${name}: &${name} [${Array(10).fill(`*${inner}`).join(', ')}]`
    const front = ['a: &a [x]', level('b', 'a'), level('c', 'b'), level('d', 'c')].join('\n')
    expect(errorOf(() => parsePromptFile(`---\n${front}\n---\nHi`, 'ask.md', 'ask'))).toMatchObject(
      {
        code: 'config',
        message: expect.stringContaining('ask.md, line 2, column 1: Excessive alias count'),
      },
    )
  })

  test('a prompt file that is wrong is refused with its name if its path is not that of a prompt', () => {
    expect(errorOf(() => parsePromptFile('Hi', 'my ask.md', 'my ask'))).toMatchObject({
      message: 'my ask.md: a prompt\'s path must be names with "/" between them, not "my ask"',
    })
  })

  test.each([
    [
      '---\nparse: text\n',
      'line 1, column 1: the front matter is not closed; end it with a line "---"',
    ],
    [
      '---\nparse: text\n---\n\nHi {you there}',
      'line 5, column 4: "{you there}" is not a placeholder; write "{name}" for a placeholder and "{{" for a brace',
    ],
    ['Hi\nyou }', 'line 2, column 5: a "}" closes nothing; write "}}" for a brace'],
  ])(
    'a prompt file that is wrong is refused with the place in its text: %j',
    async (source, message) => {
      expect(await complaintOf(() => parsePromptFile(source, 'ask.md', 'ask'))).toBe(
        `config: ask.md, ${message}`,
      )
    },
  )

  test('a prompt file that is wrong takes options by either of their names', () => {
    const { options } = parsePromptFile(
      '---\noptions: { max_tokens: 5, topP: 1, vendor: { a: 1 } }\n---\nHi',
      'f',
      'f',
    )
    expect(options).toEqual({ maxTokens: 5, topP: 1, vendor: { a: 1 } })
  })
})

describe('settings in code that are wrong', () => {
  const provider = createMock({ responses: ['x'] })
  const prompt = (settings: object) => () => definePrompt({ path: 'a', text: 'Hi', ...settings })
  const caller = (settings: object) => () =>
    createDialogCaller({ name: 'a', provider, ...settings })

  test.each([
    [prompt({ path: 'a b' }), 'a prompt\'s path must be names with "/" between them, not "a b"'],
    [prompt({ text: 5 }), 'prompt "a": text must be a string, not 5'],
    [
      prompt({ onParseErorr: '' }),
      'prompt "a": unknown setting "onParseErorr"; did you mean "onParseError"?',
    ],
    [
      prompt({ parse: {} }),
      'prompt "a": parse must be a parser, for example json(schema) or text(), not {}',
    ],
    [prompt({ tools: 'look' }), 'prompt "a": tools must be a list, not "look"'],
    [
      prompt({ tools: [{ name: 'look' }] }),
      'prompt "a": tools/0 must be a tool of defineTool, not {"name":"look"}',
    ],
    [prompt({ onParseError: 5 }), 'prompt "a": onParseError must be a text or a prompt, not 5'],
    [
      prompt({ lastCall: 'Stop {right now}' }),
      'prompt "a", lastCall, line 1, column 6: "{right now}" is not a placeholder; write "{name}" for a placeholder and "{{" for a brace',
    ],
    [
      prompt({ options: { topP: 3 } }),
      'prompt "a": options: topP must be a number between 0 and 1, not 3',
    ],
    [caller({ name: '' }), 'an agent needs a name, not ""'],
    [
      caller({ provider: { apiKey: 'sk-secret' } }),
      'agent "a": provider must be a Provider, which the creator of a provider package returns',
    ],
    [caller({ system: 5 }), 'agent "a": system must be a text or a prompt, not 5'],
    [
      caller({ limits: { maxRecall: 1 } }),
      'agent "a": limits: unknown limit "maxRecall"; did you mean "maxRecalls"?',
    ],
    [
      caller({ limits: { maxRecalls: 'many' } }),
      'agent "a": limits.maxRecalls must be a whole number between 0 and 1000, not "many"',
    ],
    [
      caller({ limits: { repeatableTools: 'poll' } }),
      'agent "a": limits.repeatableTools must be a list of texts, not "poll"',
    ],
    [
      caller({ options: { temperature: 9 } }),
      'agent "a": temperature must be a number between 0 and 2, not 9',
    ],
    [() => json(5 as never), 'json: expected a Standard Schema or a JSON Schema, not 5'],
    [() => choice([]), 'choice: give at least one choice'],
    [() => choice(['a', 'A.']), 'choice: two of a, A. differ only in case or punctuation'],
    [() => tags({}), 'tags: give at least one tag'],
    [
      () =>
        createAgents(
          { a: { model: 'm', systemPath: 'sistem' } },
          { prompts: new PromptRegistry([system]), provider: () => provider },
        ),
      'agent "a": there is no prompt "sistem"; did you mean "system"?',
    ],
  ])(
    'settings in code that are wrong are refused with what was found and what to do: %#',
    async (action, message) => {
      expect(await complaintOf(action)).toBe(`config: ${message}`)
    },
  )
})

describe('a hostile text', () => {
  const bombs: readonly [string, string, string][] = [
    [
      'anchors',
      Array.from({ length: 101 }, (_, at) => `a${at}: &b${at} 1`).join('\n'),
      'more than 100 anchors and aliases',
    ],
    [
      'fields',
      Array.from({ length: 6000 }, (_, at) => `a${at}: 1`).join('\n'),
      'more than 5000 fields',
    ],
    [
      'fields in braces',
      `{${Array.from({ length: 6000 }, (_, at) => `a${at}`).join(',')}}`,
      'more than 5000 fields',
    ],
    [
      'fields with a mark',
      Array.from({ length: 6000 }, (_, at) => `? a${at}`).join('\n'),
      'more than 5000 fields',
    ],
    ['size', `a: ${'x'.repeat(262_144)}`, 'characters of YAML, expected at most 262144'],
    ['brackets', `a: ${'['.repeat(5000)}`, 'values nested deeper than 100'],
    ['dashes', `a:\n  ${'- '.repeat(5000)}1`, 'values nested deeper than 100'],
    [
      'indentation',
      Array.from({ length: 110 }, (_, at) => `${' '.repeat(at * 8)}a:`).join('\n'),
      'values nested deeper than 100',
    ],
  ]
  test.each(bombs)(
    'a hostile text with too many %s is refused before it is parsed',
    (_, yaml, message) => {
      expect(() => parsePromptFile(`---\n${yaml}\n---\nHi`, 'a.md', 'a')).toThrow(message)
    },
  )

  test('a hostile text of a hundred thousand mistakes of YAML is refused with the first ones', () => {
    const text = '"'.repeat(200_000)
    expect(() => parsePromptFile(`---\n${text}\n---\nHi`, 'a.md', 'a')).toThrow(
      expect.objectContaining({
        problems: expect.objectContaining({ length: 10 }) as unknown,
      }) as Error,
    )
  })

  test('a list in braces with more fields than values may nest is read', () => {
    const names = Array.from({ length: 150 }, (_, at) => `a${at}`)
    const { options } = parsePromptFile(
      `---\noptions: { vendor: { ${names.map((name) => `${name}: 1`).join(', ')} } }\n---\nHi`,
      'a.md',
      'a',
    )
    expect(Object.keys(options?.vendor ?? {})).toEqual(names)
  })

  test('a hostile text with many mistakes is counted once', () => {
    const split = vi.spyOn(String.prototype, 'slice')
    const workFor = (mistakes: number): number => {
      split.mockClear()
      let work = 0
      const text = 'a }\n'.repeat(mistakes)
      expect(() => parsePromptFile(text, 'a.md', 'a')).toThrow(PromptFileError)
      for (const { value } of split.mock.results)
        if (typeof value === 'string') work += value.length
      return work
    }
    const [small, large] = [workFor(100), workFor(400)]
    split.mockRestore()
    expect(large).toBeLessThan(small * 6)
  })
})

test.each(['call', 'classify', 'binaryClassify', 'run'] as const)(
  '%s says that it needs a dialog',
  async (method) => {
    const caller = createDialogCaller({ name: 'a', provider: createMock({ responses: ['good'] }) })
    const ask = caller[method] as (dialog: never, labels: never) => Promise<unknown>
    expect(
      await complaintOf(() => ask.call(caller, 'I liked it.' as never, ['good', 'bad'] as never)),
    ).toBe(
      'config: dialog must be a Dialog, such as Dialog.seed().send(\'Hello\'), not "I liked it."',
    )
  },
)
