import { expect, test } from 'vitest'
import { checkDepth } from '../src/json-depth.js'

/** Parameters of so many levels, the innermost empty or a list. */
const nested = (levels: number, innermost: object = {}): Record<string, unknown> => {
  let value: Record<string, unknown> = { inner: innermost }
  for (let level = 2; level < levels; level++) value = { inner: value, other: [null, 1, 'text'] }
  return value
}
const check = (...parameters: Record<string, unknown>[]) => () => {
  checkDepth([{ name: 'plain', description: '' }, ...parameters.map((one, at) => ({ name: `tool_${at}`, description: '', parameters: one }))])
}
const refused = (tool: string): unknown =>
  expect.objectContaining({ code: 'invalid-request', message: `the parameters of "${tool}" are nested deeper than 256` })

test('parameters may be nested 256 levels deep, in objects and lists', () => {
  expect(check({}, nested(256), nested(256, []))).not.toThrow()
})

test('what is nested deeper, or holds itself, is refused by the name of its tool', () => {
  expect(check({}, nested(257))).toThrow(refused('tool_1'))
  expect(check(nested(257, []))).toThrow(refused('tool_0'))
  const circle: Record<string, unknown> = {}
  circle['self'] = [circle]
  expect(check(circle)).toThrow(refused('tool_0'))
})
