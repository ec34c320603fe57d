import {
  type CallOptions,
  defaultMaxTokens,
  isLlmError,
  mergeOptions,
  validateOptions,
  withoutNulls,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'

const tool = { name: 'add', description: 'Adds' }

describe('options', () => {
  test('a reply of which nobody says how long it may be has 4096 tokens where a number is needed', () => {
    expect(defaultMaxTokens).toBe(4096)
  })

  test('the last defined value wins, undefined never erases, 0 and the empty string are values', () => {
    const merged = mergeOptions(
      { temperature: 1, system: 'a', maxTokens: 5 },
      { temperature: 0, system: '' },
      undefined,
      { maxTokens: undefined },
    )
    expect(merged).toEqual({ temperature: 0, system: '', maxTokens: 5 })
  })

  test('fields of retry are merged one by one', () => {
    const onRetry = (): void => {}
    expect(mergeOptions({ retry: { attempts: 1 } }, { retry: { onRetry } }).retry).toEqual({
      attempts: 1,
      onRetry,
    })
  })

  test('vendor fields are merged one by one', () => {
    expect(mergeOptions({ vendor: { a: 1, b: 1 } }, { vendor: { b: 2 } }).vendor).toEqual({
      a: 1,
      b: 2,
    })
  })

  test('a format of the reply replaces the one before, it takes nothing from it', () => {
    const first: CallOptions = {
      responseFormat: { type: 'json-schema', schema: {}, name: 'person', strict: true },
    }
    const second: CallOptions = {
      responseFormat: { type: 'json-schema', schema: { type: 'object' } },
    }
    expect(mergeOptions(first, second)).toEqual(second)
  })

  test('a vendor field with a type is merged with one that leaves its type out', () => {
    const merged = { vendor: { tool: { type: 'a', x: 1 } } }
    expect(
      mergeOptions({ vendor: { tool: { x: 1 } } }, { vendor: { tool: { type: 'a' } } }),
    ).toEqual(merged)
    expect(
      mergeOptions({ vendor: { tool: { type: 'a' } } }, { vendor: { tool: { x: 1 } } }),
    ).toEqual(merged)
  })

  test('options without nulls keep 0, false and the empty string', () => {
    const kept = { maxTokens: 0, parallelToolCalls: false, system: '' }
    expect(withoutNulls({ ...kept, temperature: null, topP: undefined })).toStrictEqual(kept)
  })

  test('merging does not touch what it is given', () => {
    const first = Object.freeze({ vendor: Object.freeze({ a: 1 }) })
    mergeOptions(first, { vendor: { b: 1 } })
    expect(first).toEqual({ vendor: { a: 1 } })
  })
})

describe('validation', () => {
  const valid: CallOptions[] = [
    {},
    { temperature: 0 },
    { temperature: 2 },
    { topP: 0 },
    { topP: 1 },
    { maxTokens: 1 },
    { topK: 1 },
    { seed: 0 },
    { seed: -5 },
    { topLogprobs: 0 },
    { topLogprobs: 20 },
    { deadlineMs: 1 },
    { retry: { attempts: 1 } },
    { retry: { attempts: 5 } },
    { retry: {} },
    { temperature: null, topP: null, topK: null, maxTokens: null, seed: null },
    { vendor: { user: 'u' } },
    { responseFormat: { type: 'text' } },
    { responseFormat: { type: 'json' } },
    { responseFormat: { type: 'json-schema', schema: {} } },
    { tools: [tool, { ...tool, name: 'sub-tract_2' }] },
  ]
  test.each(valid)('%j is accepted', (options) => {
    expect(() => {
      validateOptions(options)
    }).not.toThrow()
  })

  const invalid: [CallOptions, string][] = [
    [{ temperature: -0.1 }, 'temperature must be a number between 0 and 2, not -0.1'],
    [{ temperature: 2.1 }, 'temperature must be a number between 0 and 2, not 2.1'],
    [{ temperature: NaN }, 'temperature must be a number between 0 and 2, not NaN'],
    [{ maxTokens: Infinity }, 'maxTokens must be a whole number of at least 1, not Infinity'],
    [
      { retry: { attempts: NaN } },
      'retry.attempts must be a whole number between 1 and 5, not NaN',
    ],
    [
      { temperature: '1' as unknown as number },
      'temperature must be a number between 0 and 2, not "1"',
    ],
    [{ topP: 1.01 }, 'topP must be a number between 0 and 1, not 1.01'],
    [{ maxTokens: 0 }, 'maxTokens must be a whole number of at least 1, not 0'],
    [{ maxTokens: 1.5 }, 'maxTokens must be a whole number of at least 1, not 1.5'],
    [{ topK: 0 }, 'topK must be a whole number of at least 1, not 0'],
    [{ seed: 0.5 }, 'seed must be a whole number, not 0.5'],
    [{ topLogprobs: 21 }, 'topLogprobs must be a whole number between 0 and 20, not 21'],
    [{ deadlineMs: 0 }, 'deadlineMs must be a number of at least 1, not 0'],
    [{ retry: { attempts: 6 } }, 'retry.attempts must be a whole number between 1 and 5, not 6'],
    [{ retry: { attempts: 0 } }, 'retry.attempts must be a whole number between 1 and 5, not 0'],
    [
      { tools: [{ ...tool, name: 'a b' }] },
      'tool name "a b" must be 1 to 64 letters, digits, "_" or "-"',
    ],
    [
      { tools: [{ ...tool, name: '' }] },
      'tool name "" must be 1 to 64 letters, digits, "_" or "-"',
    ],
    [{ tools: [tool, tool] }, 'tool name "add" is given twice'],
    ...['xml', 'jsonl', 'ajson'].map((type): [CallOptions, string] => [
      { responseFormat: { type } as unknown as CallOptions['responseFormat'] },
      'responseFormat.type must be "text", "json" or "json-schema"; for a schema of a library use generateObject',
    ]),
    [
      { vendor: { model: 'm' } },
      'vendor.model cannot change the model; make a provider for the other model',
    ],
  ]
  test.each(invalid)('%j is refused', (options, message) => {
    let caught: unknown
    try {
      validateOptions(options)
    } catch (error) {
      caught = error
    }
    expect(isLlmError(caught, 'config')).toBe(true)
    expect((caught as Error).message).toBe(message)
  })
})

test.each<[tools: unknown, message: string]>([
  [{}, 'tools must be a list of tool definitions'],
  ['x', 'tools must be a list of tool definitions'],
  [[tool, null], 'tools[1] must be a tool definition, with a name, a description and parameters'],
  [['add'], 'tools[0] must be a tool definition, with a name, a description and parameters'],
  [[{}], 'tools[0] must be a tool definition, with a name, a description and parameters'],
  [[{ name: 5 }], 'tools[0] must be a tool definition, with a name, a description and parameters'],
  [
    [{ definition: tool, execute: () => '' }],
    'tools[0] is the result of defineTool: give its .definition',
  ],
  [
    [{ type: 'function', function: tool }],
    'tools[0] has the form of the wire: give the fields of its .function',
  ],
])('tools %j are an invalid request, with what to give instead', (tools, message) => {
  const check = () => {
    validateOptions({ tools: tools as never })
  }
  expect(check).toThrow(expect.objectContaining({ code: 'invalid-request', message }) as Error)
})

test('the check of options leaves the fields of a tool to the call, also ones named like those of other forms', () => {
  const tools = [{ ...tool, type: 'function', function: {}, definition: {} }]
  expect(() => {
    validateOptions({ tools })
  }).not.toThrow()
})

test('vendor of a call is merged into that of the defaults, deep, and null stays for the request', () => {
  const defaults = {
    vendor: { text: { verbosity: 'low', note: 1 }, list: [1], mode: { type: 'a', x: 1 } },
  }
  const call = {
    vendor: { text: { format: 'f', note: undefined }, list: [2], mode: { type: 'b' } },
  }
  expect(mergeOptions(defaults, call, { vendor: { text: { verbosity: null } } })).toEqual({
    vendor: { text: { verbosity: null, note: 1, format: 'f' }, list: [2], mode: { type: 'b' } },
  })
  expect(mergeOptions(defaults, { vendor: null })).toEqual({ vendor: null })
  expect(defaults.vendor.text).toEqual({ verbosity: 'low', note: 1 })
})
