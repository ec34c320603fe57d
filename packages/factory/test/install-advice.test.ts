import { expect, test } from 'vitest'
import { installAdvice } from '../src/index.js'

const name = '@modelport/runtime'

test('advice names the command that packs a package of ours while none is on npm', () => {
  expect(installAdvice(name, false)).toBe(
    'it is not on npm yet: "npm run pack -- @modelport/runtime" in a clone of https://github.com/modelport/modelport prints the command to run',
  )
})

test('advice names npm once our packages are published', () => {
  expect(installAdvice(name, true)).toBe('run: npm i @modelport/runtime')
})

test.each([true, false])('advice for a package of others names npm: published %s', (published) => {
  expect(installAdvice('zod', published)).toBe('run: npm i zod')
})
