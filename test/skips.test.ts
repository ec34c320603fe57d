import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allowedSkip, allowedSkips } from './support/allowed-skips.js'
import { root } from './support/repository.js'

const files = globSync('{packages,examples}/*/test/**/*.ts', { cwd: root }).concat(
  globSync('test/**/*.ts', { cwd: root }),
)

test('every row of the list of skips is about a file that exists', () => {
  expect(
    allowedSkips
      .filter(({ file }) => !files.some((path) => file.test(path)))
      .map(({ file }) => file.source),
  ).toEqual([])
})

test.each([
  ['packages/core/test/base-url.test.ts', 'core: a new test that skips', undefined],
  ['packages/serve/test/server/security.test.ts', 'serve: a task of another user', undefined],
  [
    'packages/serve/test/server/security.test.ts',
    'agent-on-postgres: a task of another user',
    'PostgreSQL',
  ],
])('a skip in %s, %j', (file, title, needs) => {
  expect(allowedSkip(file, title)?.needs).toBe(needs)
})
