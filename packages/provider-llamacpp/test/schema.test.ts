import type { JsonObject } from '@modelport/core'
import { afterAll, describe, expect, test } from 'vitest'
import { toSchemaRules } from '../src/schema-grammar.js'
import { local, tools, unavailable, user, withThinking } from './local-model.js'
import { fits } from './schema-check.js'

const prompts = [
  'What is the weather in Paris?',
  'What is 12 plus 30?',
  'Tell me a story.',
  'Send an emoji',
  'Hello',
  'Describe a person.',
  'List three cities.',
  '',
  '{"a": 1',
  '日本語で答えて',
  'Say "quote" and \\ slash',
  'What time is it?',
  'Read the file notes.txt',
  'Search for cats',
  'Write to Nina',
  'One\ntwo',
  '😀',
  'A very long question about nothing at all, '.repeat(5),
  'null',
  'Finish.',
]

const schema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'person',
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 12 },
    age: { type: 'integer', minimum: 0, maximum: 130 },
    'odd "key"\n': { enum: ['a "b"', 'c\\d', 3, null, { x: [1] }] },
    tags: { type: 'array', items: { $ref: '#/$defs/tag' }, minItems: 1, maxItems: 3 },
    nickname: { type: ['string', 'null'], maxLength: 5 },
    place: {
      anyOf: [
        {
          type: 'object',
          properties: { zip: { type: 'integer', minimum: 1, maximum: 9 } },
          required: ['zip'],
          additionalProperties: false,
        },
        { type: 'boolean' },
      ],
    },
    born: { type: 'string', format: 'date' },
    constant: { const: 'é🚀' },
  },
  required: ['name', 'age', 'odd "key"\n', 'tags', 'place'],
  additionalProperties: false,
  $defs: { tag: { enum: ['x', 'y/z'] } },
}

describe.skipIf(unavailable !== undefined)('replies held to a schema', () => {
  const provider = local()
  afterAll(() => provider.close())
  const ask = async (format: JsonObject, prompt: string, options = {}): Promise<unknown> => {
    const { text, finishReason } = await provider.generate([user(prompt)], {
      responseFormat: { type: 'json-schema', schema: format },
      maxTokens: 400,
      ...options,
    })
    expect(finishReason).toBe('stop')
    return JSON.parse(text)
  }

  test('replies held to a schema fit it for every prompt', async () => {
    for (const prompt of prompts) expect(fits(schema, await ask(schema, prompt)), prompt).toBe(true)
  })

  test('replies held to a schema fit it whatever tokens are sampled', async () => {
    for (let seed = 0; seed < 20; seed++)
      expect(
        fits(schema, await ask(schema, 'x', { temperature: 2, topK: 100000, topP: 1, seed })),
      ).toBe(true)
  })

  test('replies held to a schema fit it after thinking', async () => {
    const answer = await provider.generate([user('Send an emoji')], {
      responseFormat: { type: 'json-schema', schema },
      ...withThinking,
      maxTokens: 400,
    })
    expect(answer.reasoning).toBe('The user wants emojis.')
    expect(fits(schema, JSON.parse(answer.text))).toBe(true)
  })

  test.each<[string, JsonObject]>([
    [
      'a list',
      {
        type: 'array',
        items: { type: 'integer', minimum: 1, maximum: 3 },
        minItems: 2,
        maxItems: 2,
      },
    ],
    ['a tuple', { type: 'array', prefixItems: [{ const: 1 }, { enum: ['a'] }], items: false }],
    [
      'a tuple with more',
      { type: 'array', prefixItems: [{ const: 1 }], items: { const: 2 }, minItems: 3, maxItems: 4 },
    ],
    [
      'optional properties only',
      {
        type: 'object',
        properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } },
        additionalProperties: false,
      },
    ],
    ['an empty object', { type: 'object', additionalProperties: false }],
    [
      'recursion',
      {
        $ref: '#/definitions/tree',
        definitions: {
          tree: {
            type: 'object',
            properties: {
              v: { const: 1 },
              next: { anyOf: [{ type: 'null' }, { $ref: '#/definitions/tree' }] },
            },
            required: ['v', 'next'],
            additionalProperties: false,
          },
        },
      },
    ],
    ['a bare value', { type: 'boolean' }],
    ['numbers', { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 3 }],
    [
      'a required key without a schema',
      { type: 'object', properties: {}, required: ['x'], additionalProperties: { const: 1 } },
    ],
    [
      'formats',
      {
        type: 'array',
        prefixItems: [
          { type: 'string', format: 'uuid' },
          { type: 'string', format: 'date-time' },
          { type: 'string', format: 'time' },
        ],
        items: false,
      },
    ],
    ['one of many', { oneOf: [{ const: 'a' }, { const: 'b' }] }],
    ['all of one', { allOf: [{ type: 'integer', minimum: 1, maximum: 1 }] }],
    ['no type', { properties: { a: { const: 1 } }, required: ['a'] }],
  ])('replies fit the schema of %s', async (_, format) => {
    for (const seed of [1, 2, 3, 4])
      expect(fits(format, await ask(format, 'x', { temperature: 1, seed, maxTokens: 600 }))).toBe(
        true,
      )
  })

  test('a map may last to the end of the reply', async () => {
    const format = { type: 'object', additionalProperties: { const: true } }
    const { text } = await provider.generate([user('x')], {
      responseFormat: { type: 'json-schema', schema: format },
      maxTokens: 60,
    })
    expect(text).toMatch(/^\{("([^"\\]|\\.)*": ?true, ?)*/)
  })

  test('a reply is any JSON object if no schema is given', async () => {
    const { text, finishReason } = await provider.generate([user('x')], {
      responseFormat: { type: 'json' },
      maxTokens: 400,
    })
    expect(text.startsWith('{')).toBe(true)
    if (finishReason === 'stop') expect(typeof JSON.parse(text)).toBe('object')
  })

  test('next to tools the model may call one or reply in the format', async () => {
    const format: JsonObject = {
      type: 'object',
      properties: { done: { type: 'boolean' } },
      required: ['done'],
      additionalProperties: false,
    }
    const options = {
      responseFormat: { type: 'json-schema', schema: format } as const,
      tools: [...tools],
    }
    const first = await provider.generate([user('What is the weather in Paris?')], options)
    expect(first.toolCalls).toMatchObject([{ name: 'get_weather', arguments: { city: 'Paris' } }])
    const call = first.toolCalls[0]!
    const second = await provider.generate(
      [
        user('What is the weather in Paris?'),
        first.message,
        { role: 'tool', toolCallId: call.id, content: 'sunny' },
      ],
      { ...options, toolChoice: 'none' },
    )
    expect(fits(format, JSON.parse(second.text))).toBe(true)
  })
})

describe('what a grammar cannot express', () => {
  test.each<[string, unknown]>([
    [
      '/properties/a/pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: '^x' } } },
    ],
    ['/items/minimum', { type: 'array', items: { type: 'number', minimum: 3 } }],
    ['/minimum', { type: 'integer', minimum: 7 }],
    ['/maximum', { type: 'integer', maximum: 7000 }],
    ['/multipleOf', { type: 'integer', multipleOf: 3 }],
    ['/uniqueItems', { type: 'array', uniqueItems: true }],
    ['/patternProperties', { type: 'object', patternProperties: {} }],
    ['/not', { not: {} }],
    ['/if', { type: 'object', if: {}, then: {} }],
    ['/anyOf/1', { anyOf: [{ type: 'string' }, false] }],
    ['/required', { anyOf: [{ type: 'object' }], required: ['a'] }],
    ['/allOf', { allOf: [{ type: 'object' }, { type: 'object' }] }],
    ['/format', { type: 'string', format: 'email' }],
    ['/minItems', { type: 'array', items: { type: 'null' }, minItems: 1000 }],
    ['/maxLength', { type: 'string', maxLength: 100000 }],
    ['/$ref', { $ref: 'https://elsewhere.example/schema.json' }],
    ['/$ref', { $ref: '#/$defs/missing' }],
    ['/type', { type: 'date' }],
    [
      '/properties/a~1b~0c/nullable',
      { type: 'object', properties: { 'a/b~c': { type: 'string', nullable: true } } },
    ],
    ['/', 'text'],
    ['/$ref', { $ref: '#/%' }],
    ['/format', { type: 'string', format: 'constructor' }],
    ['/type', { type: 'constructor' }],
    ['/type', { type: 5 }],
    ['/type', { type: [] }],
    ['/enum', { enum: [] }],
    ['/required', { type: 'object', required: 5 }],
    ['/required', { type: 'object', required: [5] }],
    ['/properties', { type: 'object', properties: [{ type: 'string' }] }],
    ['/minItems', { type: 'array', minItems: 'two' }],
    ['/maxItems', { type: 'array', maxItems: -1 }],
    ['/minLength', { type: 'string', minLength: 1.5 }],
    ['/maxLength', { type: 'string', maxLength: null }],
    ['/maxLength', { type: 'string', minLength: 3, maxLength: 2 }],
    ['/maxItems', { type: 'array', items: {}, minItems: 3, maxItems: 1 }],
    ['/prefixItems', { type: 'array', prefixItems: { const: 1 } }],
    ['/type', { type: 'string', const: 1 }],
    ['/items/type', { type: 'array', items: { type: 'integer', enum: ['a', 1.5, null] } }],
  ])('what a grammar cannot express is unsupported at %s', (pointer, schema_) => {
    let thrown: unknown
    try {
      toSchemaRules(schema_, 'value')
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(`"${pointer}":`),
    })
  })

  test('each optional property may come once, in order', () => {
    const key = { const: 1 }
    const [first] = toSchemaRules(
      { properties: { a: key, b: key, c: key }, required: ['b'] },
      'value',
    ).slice(3)
    expect(first).toBe('value ::= "{" value-1 ("," space value-0)? ("," space value-2)? "}"')
    const [, , , none] = toSchemaRules({ properties: { a: key, b: key, c: key } }, 'value')
    expect(none).toBe(
      'value ::= "{" (value-0 ("," space value-1)? ("," space value-2)? | value-1 ("," space value-2)? | value-2)? "}"',
    )
  })

  test('a key that is required twice comes once, and of values only those of the type', () => {
    expect(
      toSchemaRules({ required: ['a', 'a'] }, 'value').filter((rule) => rule.includes('a\\":')),
    ).toHaveLength(1)
    expect(toSchemaRules({ type: 'string', enum: ['a', 1, null] }, 'value')[0]).toBe(
      'value ::= ("\\"a\\"")',
    )
  })

  test('what a grammar cannot express is refused before a model is loaded, tools by their name', async () => {
    const provider = local({ modelPath: '/nowhere.gguf' })
    const call = provider.complete('x', {
      responseFormat: { type: 'json-schema', schema: { type: 'string', pattern: 'x' } },
    })
    await expect(call).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('/pattern'),
    })
  })
})
