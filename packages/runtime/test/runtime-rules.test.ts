import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const here = import.meta.dirname
const read = (path: string): string => readFileSync(path, 'utf8')

test('each rule of docs/runtime.md is named by a test, and each named rule is on the page', () => {
  const page = read(join(here, '../../../docs/runtime.md'))
  const rules = [...page.matchAll(/^\| (J\d+) \|/gm)].map(([, rule]) => rule)
  const titles = readdirSync(here)
    .filter((name) => name.endsWith('.test.ts'))
    .flatMap((name) => [...read(join(here, name)).matchAll(/\(\s*'(J\d+(?:, J\d+)*): /g)])
    .flatMap(([, named = '']) => named.split(', '))
  expect([...new Set(titles)].sort()).toEqual([...rules].sort())
})
