import { readFileSync } from 'node:fs'
import { citedRules, conformance, inProcessSkips, type Runner } from '@modelport/conformance'
import { expect, test } from 'vitest'
import { batchConformance } from '../../../test/support/batch-conformance.js'
import { referenceBatches } from './reference-batches.js'
import { reference } from './reference-driver.js'

const contract = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8')
const rules = [...contract.matchAll(/^\| ([A-Z]\d+) \|/gm)].map((match) => match[1] as string)

function titles(): string[] {
  const found: string[] = []
  const add = (title: string) => void found.push(title)
  const runner: Runner = { describe: (_, body) => body(), test: Object.assign(add, { skip: add }) }
  conformance(runner, reference)
  batchConformance(runner, referenceBatches())
  return found
}

test('every rule is written once', () => {
  expect(rules.length).toBeGreaterThan(45)
  expect(rules).toEqual([...new Set(rules)])
})

test('every rule has a test that cites it', () => {
  const cited = new Set(titles().flatMap(citedRules))
  expect(rules.filter((rule) => !cited.has(rule))).toEqual([])
})

test('no cell is longer than 200 characters, and each sub-rule follows its rule in order', () => {
  const rows = [...contract.matchAll(/^\| ([A-Z]\d+)(?:\.(\d+))? \| (.*) \|$/gm)]
  expect(rows.filter(([, , , cell = '']) => cell.length > 200).map(([row]) => row)).toEqual([])
  let [last, count] = ['', 0]
  for (const [row, rule = '', sub = '0'] of rows) {
    count = rule === last ? count + 1 : 0
    last = rule
    expect(Number(sub), row).toBe(count)
  }
})

test('every test cites rules that exist, and its title is its own', () => {
  const all = titles()
  expect(all.filter((title) => !citedRules(title).length)).toEqual([])
  expect(all.flatMap(citedRules).filter((rule) => !rules.includes(rule))).toEqual([])
  expect(all).toEqual([...new Set(all)])
})

test('rules that the page mentions exist', () => {
  const mentioned = [...contract.matchAll(/\b([RLDSFKEQB]\d+)\b/g)].map(
    (match) => match[1] as string,
  )
  expect(mentioned.filter((rule) => !rules.includes(rule))).toEqual([])
})

test('what does not apply in process is a rule or a test that exists', () => {
  const all = titles().map((title) => title.replace(/ \(skipped: .*\)$/, ''))
  const known = new Set(
    all.flatMap((title) => [...citedRules(title), title.replace(/^[A-Z0-9, ]+ /, '')]),
  )
  expect(Object.keys(inProcessSkips).filter((key) => !known.has(key))).toEqual([])
})
