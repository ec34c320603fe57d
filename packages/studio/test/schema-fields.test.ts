import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type FormDraft,
  fieldsOf,
  firstDraft,
  fromDraft,
  toDraft,
} from '../src/page/setup/schema-fields.js'

const schema = z.toJSONSchema(
  z.object({
    city: z.string().describe('Where'),
    days: z.int().default(3),
    wind: z.number().optional(),
    exact: z.boolean().nullable().optional(),
    unit: z.enum(['celsius', 'kelvin']),
    tags: z.array(z.string()).optional(),
  }),
  { io: 'input' },
)
const fields = fieldsOf(schema)!
const result = (draft: FormDraft) => fromDraft(fields, { ...firstDraft(fields), ...draft })

describe('the form of a JSON Schema', () => {
  test('the form of a JSON Schema has a field for each property, with its kind, default and description', () => {
    expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['city', 'text', true],
      ['days', 'integer', false],
      ['wind', 'number', false],
      ['exact', 'boolean', false],
      ['unit', 'choice', true],
      ['tags', 'json', false],
    ])
    expect(fields[0]?.description).toBe('Where')
    expect(firstDraft(fields)).toEqual({
      city: '',
      days: '3',
      wind: '',
      exact: '',
      unit: '',
      tags: '',
    })
  })

  test('the form of a JSON Schema leaves out what is empty and optional, and sends each value with its type', () => {
    expect(result({ city: 'Oslo', unit: '"kelvin"' })).toEqual({
      args: { city: 'Oslo', days: 3, unit: 'kelvin' },
    })
    const draft = {
      city: '12',
      days: '7',
      wind: '1.5',
      exact: 'false',
      unit: '"celsius"',
      tags: '["a"]',
    }
    const args = { city: '12', days: 7, wind: 1.5, exact: false, unit: 'celsius', tags: ['a'] }
    expect(result(draft)).toEqual({ args })
    expect(fromDraft(fields, toDraft(fields, args))).toEqual({ args })
  })

  test('the form of a JSON Schema names every problem at its field', () => {
    expect(result({ days: '1.5', wind: 'much', tags: '[a' })).toMatchObject({
      problems: {
        city: expect.stringContaining('Enter a text') as string,
        days: 'Enter a whole number.',
        wind: 'Enter a number.',
        unit: 'Choose a value.',
        tags: expect.stringContaining('This is not JSON') as string,
      },
    })
  })

  test.each([
    ['a reference', { $ref: '#/$defs/x' }],
    ['one of several objects', { anyOf: [{ type: 'object' }, { type: 'object' }] }],
    ['free names', { type: 'object', additionalProperties: { type: 'string' } }],
    ['no schema', undefined],
  ])(
    'the form of a JSON Schema has no fields for %s: its arguments are written as JSON',
    (_what, other) => {
      expect(fieldsOf(other)).toBeUndefined()
    },
  )

  test('the form of a JSON Schema has no fields for a tool without arguments, which can be called as it is', () => {
    expect(fieldsOf({ type: 'object', properties: {} })).toEqual([])
    expect(fromDraft([], {})).toEqual({ args: {} })
  })
})
