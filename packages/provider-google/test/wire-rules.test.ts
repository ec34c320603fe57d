import { gemini } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'

const headers = { 'content-type': 'application/json', 'x-goog-api-key': 'key' }
const path = '/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse'
const user = { role: 'user', parts: [{ text: '?' }] }
const call = (name: string, more: object = {}, part: object = {}) => ({
  functionCall: { name, args: {}, ...more },
  ...part,
})
const result = (name: string, more: object = {}) => ({
  functionResponse: { name, response: { output: 'x' }, ...more },
})
const foreign = { thoughtSignature: 'skip_thought_signature_validator' }
const good = {
  contents: [
    user,
    { role: 'model', parts: [call('a', {}, foreign), call('b')] },
    { role: 'user', parts: [result('a'), result('b')] },
  ],
  generationConfig: { maxOutputTokens: 1 },
}
const violations = (body: object, changes: object = {}): readonly string[] =>
  gemini.violations({ method: 'POST', path, headers, body, ...changes })
const round = (model: readonly object[], answers: readonly object[]) => ({
  contents: [user, { role: 'model', parts: model }, { role: 'user', parts: answers }],
})

describe('rules of the wire', () => {
  test('a good request breaks none', () => {
    expect(violations(good)).toEqual([])
  })

  test.each<[string, object, RegExp]>([
    ['unknown field', { ...good, system: 'x' }, /Unrecognized key: "system"/],
    [
      'unknown option',
      { ...good, generationConfig: { max_tokens: 1 } },
      /Unrecognized key: "max_tokens"/,
    ],
    ['no contents', { contents: [] }, /contents is not specified/],
    [
      'a role of others',
      { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }, user] },
      /valid role/,
    ],
    ['no parts', { contents: [{ role: 'user', parts: [] }] }, /must not be empty/],
    [
      'two kinds in a part',
      { contents: [{ role: 'user', parts: [{ text: 'x', inlineData: {} }] }] },
      /must have one initialized field/,
    ],
    [
      'the model last',
      { contents: [user, { role: 'model', parts: [{ text: 'x' }] }] },
      /must not have the role model/,
    ],
    [
      'a missing result',
      round([call('a', {}, foreign), call('b')], [result('a')]),
      /number of function response parts/,
    ],
    [
      'a result too many',
      round([call('a', {}, foreign)], [result('a'), result('b')]),
      /number of function response parts/,
    ],
    [
      'results in another order',
      round([call('a', {}, foreign), call('b')], [result('b'), result('a')]),
      /answers a call of "a"/,
    ],
    [
      'the id instead of the name',
      round([call('a', { id: 'x' }, foreign)], [result('x', { id: 'x' })]),
      /the response of "x" answers a call of "a"/,
    ],
    ['an id left out', round([call('a', { id: 'x' }, foreign)], [result('a')]), /its call x/],
    [
      'a result without a call',
      { contents: [user, { role: 'user', parts: [result('a')] }] },
      /immediately after a function call turn/,
    ],
    [
      'a call after the model',
      {
        contents: [
          user,
          { role: 'model', parts: [{ text: 'x' }] },
          { role: 'model', parts: [call('a', {}, foreign)] },
          { role: 'user', parts: [result('a')] },
        ],
      },
      /immediately after a user turn/,
    ],
    [
      'calls without results',
      { contents: [user, { role: 'model', parts: [call('a', {}, foreign)] }, user] },
      /not answered/,
    ],
    ['no signature', round([call('a')], [result('a')]), /missing a thought_signature/],
    [
      'a signature of others',
      round([call('a', {}, { thoughtSignature: 'theirs' })], [result('a')]),
      /signature is not valid/,
    ],
    [
      'a signature on other arguments',
      round(
        [call('a', { args: { x: 1 } }, { thoughtSignature: btoa('signed-call-4-0') })],
        [result('a')],
      ),
      /signature is not valid/,
    ],
    [
      'text as a result',
      {
        contents: [
          user,
          { role: 'model', parts: [call('a', {}, foreign)] },
          { role: 'user', parts: [result('a', { response: 'x' })] },
        ],
      },
      /not an object/,
    ],
    ['system text without parts', { ...good, systemInstruction: 'x' }, /systemInstruction/],
    [
      'both forms of a schema',
      {
        ...good,
        tools: [
          {
            functionDeclarations: [
              {
                name: 'a',
                parameters: { type: 'STRING' },
                parametersJsonSchema: { type: 'object' },
              },
            ],
          },
        ],
      },
      /only one of parameters/,
    ],
    [
      'JSON Schema in the OpenAPI form',
      {
        ...good,
        tools: [
          {
            functionDeclarations: [
              {
                name: 'a',
                parameters: {
                  type: 'OBJECT',
                  properties: { b: { type: 'STRING' } },
                  additionalProperties: false,
                },
              },
            ],
          },
        ],
      },
      /Unrecognized key: "additionalProperties"/,
    ],
    [
      'a mode of others',
      {
        ...good,
        tools: [{ functionDeclarations: [{ name: 'a' }] }],
        toolConfig: { functionCallingConfig: { mode: 'required' } },
      },
      /mode/,
    ],
    [
      'both kinds of thinking',
      {
        ...good,
        generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } },
      },
      /only one of thinking/,
    ],
    [
      'a temperature out of range',
      { ...good, generationConfig: { temperature: 3 } },
      /temperature/,
    ],
    [
      'a schema without a type',
      { ...good, generationConfig: { responseJsonSchema: {} } },
      /response_mime_type/,
    ],
  ])('a rule of the wire finds %s', (_, body, message) => {
    expect(violations(body).join('\n')).toMatch(message)
  })

  test.each<[string, object, RegExp]>([
    ['the key in the URL', { path: `${path}&key=x` }, /in the URL/],
    ['no key', { headers: { 'content-type': 'application/json' } }, /missing/],
    ['a stream without alt=sse', { path: path.replace('?alt=sse', '') }, /alt=sse/],
  ])('a rule of the wire finds %s', (_, changes, message) => {
    expect(violations(good, changes).join('\n')).toMatch(message)
  })

  test('turns before the current one, and models before Gemini 3, need no signature', () => {
    const unsigned = round([call('a')], [result('a')])
    expect(violations({ contents: [...unsigned.contents, user] })).toEqual([])
    expect(
      violations(unsigned, { path: path.replace('gemini-3-flash-preview', 'gemini-2.5-flash') }),
    ).toEqual([])
  })
})
