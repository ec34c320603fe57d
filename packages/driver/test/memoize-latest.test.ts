import { expect, test } from 'vitest'
import { memoizeLatest } from '../src/base/memoize-latest.js'

test('a value is made once while its key stays, and again when another came in between', async () => {
  const newest = memoizeLatest<string>()
  const made: string[] = []
  const ask = (key: string): Promise<string> =>
    newest(key, async () => {
      made.push(key)
      await Promise.resolve()
      return `value of ${key}`
    })
  expect([await ask('a'), await ask('a'), await ask('b'), await ask('a')]).toEqual([
    'value of a',
    'value of a',
    'value of b',
    'value of a',
  ])
  expect(made).toEqual(['a', 'b', 'a'])
  expect(await Promise.all([ask('c'), ask('d'), ask('c')])).toEqual([
    'value of c',
    'value of d',
    'value of c',
  ])
})

test('a failure is not kept', async () => {
  const newest = memoizeLatest<number>()
  await expect(newest('a', () => Promise.reject(new Error('not now')))).rejects.toThrow('not now')
  expect(await newest('a', () => Promise.resolve(1))).toBe(1)
})
