import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText, root } from './support/repository.js'

const table = readText('SECURITY.md').split('## Threats by door')[1]?.split('\n## ')[0] ?? ''
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('every promise of the table of threats names a test that exists, or the kit', () => {
  expect(rows.length).toBeGreaterThan(20)
  const bad = rows.filter(([, , , , tests = '']) => {
    const files = [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path ?? '')
    const isKit = tests.includes('conformance kit')
    return (
      (!files.length && !isKit) ||
      files.some((path) => !path.endsWith('.test.ts') || !existsSync(join(root, path)))
    )
  })
  expect(bad.map(([, door]) => door)).toEqual([])
})

test('every attack of `npm run attack` runs in short form with all tests', () => {
  expect(readText('vitest.config.ts')).toContain("include: ['test/**/*.test.ts']")
  expect(readText('scripts/programs.mjs')).toContain(
    "attack: 'MODELPORT_ATTACK=full pnpm exec vitest run --project workspace test/attack'",
  )
})
