import { expect, test } from 'vitest'
import { checkDepth } from '../src/base/json-depth.js'
import { checkTools } from '../src/turn/check-fields.js'

/** A value of so many levels, the innermost empty or a list. */
const nested = (levels: number, innermost: object = {}): Record<string, unknown> => {
  let value: Record<string, unknown> = { inner: innermost }
  for (let level = 2; level < levels; level++) value = { inner: value, other: [null, 1, 'text'] }
  return value
}
const check = (value: unknown) => () => {
  checkDepth('it', value)
}
const refused: unknown = expect.objectContaining({
  code: 'invalid-request',
  message: 'it: nested deeper than 256',
})

test('a value may be nested 256 levels deep, in objects and lists', () => {
  for (const value of [undefined, null, 'text', {}, nested(256), nested(256, [])])
    expect(check(value)).not.toThrow()
})

test('what is nested deeper, or holds itself, is refused by its name', () => {
  expect(check(nested(257))).toThrow(refused)
  expect(check(nested(257, []))).toThrow(refused)
  const circle: Record<string, unknown> = {}
  circle['self'] = [circle]
  expect(check(circle)).toThrow(refused)
})

test('the one of several tools whose parameters are too deep is named', () => {
  const tool = (name: string, levels: number) => ({
    name,
    description: '',
    parameters: nested(levels),
  })
  expect(() => {
    checkTools([tool('flat', 2), { name: 'none', description: '' }, tool('deep', 257)])
  }).toThrow(
    expect.objectContaining({
      code: 'invalid-request',
      message: 'tool "deep": nested deeper than 256',
    }),
  )
})
