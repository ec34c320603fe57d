// Every call option and every kind of content, at every API. After a change of the rows, write
// evidence/grid-options.md anew: pnpm exec vitest run --project workspace test/grid --update
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { takeRefusals } from '../doubles/refusals.js'
import { root } from '../support/repository.js'
import { apis } from './apis.js'
import { contentRows, neededRows, optionRows, unsaid, withoutOptionRow } from './option-rows.js'
import { type OptionResult, toOptionsPage } from './options-page.js'
import { runOption } from './run-options.js'
import { type GridServer, startGridServer } from './server.js'

const groups = { Options: optionRows, Content: contentRows }
const rows = Object.values(groups).flat()
let server: GridServer
const results = new Map<string, OptionResult>()
beforeAll(async () => {
  server = await startGridServer()
})
// What the vendor refuses is on the page.
afterEach(() => void takeRefusals())
afterAll(() => server.close())

test.each(rows)('$name is said in the request, or a reason is given', async (row) => {
  const outcomes = await Promise.all(apis.map((api) => runOption(server, row, api)))
  results.set(row.name, { row, outcomes })
  expect(outcomes.filter(({ kind }) => kind === 'broken')).toEqual([])
  const silent = apis.flatMap(({ head }, at) => {
    const outcome = outcomes[at]
    return outcome?.kind === 'unsaid' && !outcome.warning ? [head] : []
  })
  const hasReason = unsaid.some(({ where }) => where === row.covers)
  expect(
    hasReason ? [] : silent,
    `these APIs drop ${row.covers}: send it, refuse it, or warn by \`takes\` of the driver`,
  ).toEqual([])
})

describe('every option and every field of a part', () => {
  test('every option and every field of a part has a row, or a reason to have none', () => {
    const known = new Set([
      ...rows.map(({ covers }) => covers),
      ...withoutOptionRow.map(({ where }) => where),
    ])
    expect(neededRows().filter((name) => !known.has(name))).toEqual([])
  })

  test('every option and every field of a part has no reason to be left out if it is gone', () => {
    expect(withoutOptionRow.filter(({ where }) => !neededRows().includes(where))).toEqual([])
  })
})

test('the page shows the rows', async () => {
  const pages = Object.entries(groups).map(([heading, list]) => [
    heading,
    list.flatMap(({ name }) => results.get(name) ?? []),
  ])
  await expect(toOptionsPage(Object.fromEntries(pages))).toMatchFileSnapshot(
    join(root, 'evidence/grid-options.md'),
  )
})
