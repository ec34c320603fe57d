import { expect, test } from 'vitest'
import { measureExports, readKept } from '../scripts/exports.ts'
import { readText, repositoryFiles } from './support/repository.js'

const kept = readKept()
const packages = measureExports(kept)

test('modelport has at most 25 packages', () => {
  expect(packages.length).toBeLessThanOrEqual(25)
})

test('every export has a user, or a reason why it is kept without one', () => {
  const unneeded = packages.flatMap(({ name, exports }) =>
    exports.filter(({ isNeeded }) => !isNeeded).map((found) => `${name}: ${found.name}`),
  )
  const hint = 'delete it, or write the reason into scripts/kept-exports.json'
  expect(unneeded, hint).toEqual([])
})

test('every export that is kept without a user exists, and says why it is kept', () => {
  for (const [name, reasons] of Object.entries(kept)) {
    const names = packages.find((found) => found.name === name)?.exports.map((found) => found.name)
    expect(names, name).toEqual(expect.arrayContaining(Object.keys(reasons)))
    for (const reason of Object.values(reasons)) expect(reason).toMatch(/\w+ \w+ \w+/)
  }
})

// A namespace is one export, so nothing asks whether each of its members has a user.
test('two namespaces are exported, and no list of names is hidden in a third', () => {
  const sources = repositoryFiles().filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path))
  const namespaces = sources.flatMap((path) => readText(path).match(/^export \* as \w+/gm) ?? [])
  expect(namespaces).toEqual(['cardParts', 'partContent'].map((name) => `export * as ${name}`))
})
