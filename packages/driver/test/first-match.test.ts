import { expect, test } from 'vitest'
import { firstMatch } from '../src/index.js'

const rows = [
  [/late/, 'second'],
  [/early/, 'first'],
] as const

test('firstMatch gives what the first pattern that fits stands for', () => {
  expect(firstMatch(rows, 'early and late')).toBe('second')
  expect(firstMatch(rows, 'early')).toBe('first')
  expect(firstMatch(rows, 'neither')).toBeUndefined()
})

test('firstMatch looks at the first 4,096 characters only, however long the text is', () => {
  expect(firstMatch(rows, `${'x'.repeat(4092)} late`)).toBeUndefined()
  expect(firstMatch(rows, `${'x'.repeat(4092)}early`)).toBeUndefined()
  expect(firstMatch(rows, `late${'x'.repeat(10_000_000)}`)).toBe('second')
})
