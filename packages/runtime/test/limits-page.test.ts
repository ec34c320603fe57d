import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultRunLimits } from '../src/loop/request/run-limits.js'

test('docs/runtime.md has every limit of a run with its default', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/runtime.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|/gm)].flatMap(
    ([, names = '', values = '']) => {
      const defaults = values.split(/, (?=\d)/)
      return names
        .split(', ')
        .map((name, index) => [name.replaceAll('`', ''), defaults[index]?.replace(/[`,]/g, '')])
    },
  )
  const shown = Object.entries(defaultRunLimits).map(([name, value]) => [
    name,
    Array.isArray(value) ? 'none' : String(value),
  ])
  expect(rows).toEqual(expect.arrayContaining(shown))
})
