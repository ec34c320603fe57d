import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { conformance } from '@modelport/conformance'
import { describe, expect, test } from 'vitest'
import { reference } from '../../packages/conformance/test/reference-driver.js'
import { readText, root } from '../support/repository.js'
import { kitFiles, rows } from './table.js'

/** Titles of the kit, skipped ones too. */
const kitTitles: string[] = []
const add = (title: string) => void kitTitles.push(title.replace(/ \(skipped: .*/, ''))
conformance({ describe: (_, body) => body(), test: Object.assign(add, { skip: add }) }, reference)

test('every row has its own id, says what is required, and has a test', () => {
  expect(rows.map(({ id }) => id)).toEqual([...new Set(rows.map(({ id }) => id))])
  for (const { id, fault, required, tests } of rows) {
    expect(fault.length, id).toBeLessThanOrEqual(62)
    expect(required, id).toBeTruthy()
    expect(tests.length, id).toBeGreaterThan(0)
  }
})

describe.each(rows)('the tests of $id', ({ tests }) => {
  test.each(tests)('%j exists', (proof) => {
    if ('kit' in proof) {
      expect(kitTitles.some((title) => title.startsWith(proof.kit))).toBe(true)
      return
    }
    expect(existsSync(join(root, proof.file)), proof.file).toBe(true)
    const source = readText(proof.file).replaceAll("\\'", "'")
    expect(
      ["'", '"', '`'].some((quote) => source.includes(quote + proof.title)),
      proof.title,
    ).toBe(true)
  })
})

test('the kit reports its numbers wherever it runs for the table', () => {
  const files = kitFiles
  expect(files.length).toBeGreaterThanOrEqual(6)
  // Both note what a rule measured.
  for (const file of files)
    expect(readText(file), file).toMatch(/conformance\((?:fault|wire)Runner/)
})

test('no row of the fault and threat model is missing: the ids of each kind count up from 1', () => {
  const ids = rows.map(({ id }) => id)
  for (const kind of ['S', 'K', 'E', 'T']) {
    const numbers = ids
      .filter((id) => id.startsWith(kind) && /\d$/.test(id))
      .map((id) => Number(id.slice(1)))
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1))
  }
})
