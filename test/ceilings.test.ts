import { expect, test } from 'vitest'
import { measure, measureExports, readCeilings } from '../scripts/exports.mjs'
import { readText, repositoryFiles } from './support/repository.js'

const { ceilings, kept } = readCeilings()
const measured = measureExports(kept)
const figures = measure(measured)

test.each(Object.entries(ceilings))(
  'modelport stays under its ceiling of %s',
  (figure, { ceiling, target }) => {
    const hint = '`node scripts/ceilings.mjs` lists what nobody needs; delete before you add'
    expect(figures[figure as keyof typeof figures], hint).toBeLessThanOrEqual(ceiling)
    expect(ceiling).toBeGreaterThanOrEqual(target)
  },
)

test('every export that is kept without a user exists, and says why it is kept', () => {
  for (const [name, reasons] of Object.entries(kept)) {
    const names = measured.find((found) => found.name === name)?.exports.map((found) => found.name)
    expect(names, name).toEqual(expect.arrayContaining(Object.keys(reasons)))
    for (const reason of Object.values(reasons)) expect(reason).toMatch(/\w+ \w+ \w+/)
  }
})

test('no list of names is hidden in a namespace, but for the two that decision 0028 counts', () => {
  const sources = repositoryFiles().filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path))
  const found = sources.flatMap((path) => readText(path).match(/^export \* as \w+/gm) ?? [])
  expect(found).toEqual(['cardParts', 'partContent'].map((name) => `export * as ${name}`))
})
