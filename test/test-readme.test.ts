import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/workspaces.ts'
import { readText } from './support/repository.js'

test('test/README.md says of every test file and folder which promise it proves', () => {
  const linked = [...readText('test/README.md').matchAll(/\]\(([\w.-]+)\)/g)].map(
    ([, path]) => path,
  )
  const present = readdirSync(join(root, 'test'))
    .filter((name) => name !== 'README.md' && name !== 'test-readme.test.ts')
    .filter((name) => !name.startsWith('.') && name !== 'tsconfig.json')
  expect([...new Set(linked)].sort()).toEqual(present.sort())
})
