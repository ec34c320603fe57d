// Every function that asks a model, at every API, with and without a key. The table of the page
// evidence/grid.md is made of the rows; after a change of them, write it anew: pnpm exec
// vitest run --project workspace test/grid --update
import { join } from 'node:path'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../support/repository.js'
import { agentDoors } from './agent-doors.js'
import { aiSdkDoors } from './ai-sdk-doors.js'
import { type Api, apis } from './apis.js'
import { dialogDoors } from './dialog-doors.js'
import type { Door } from './door.js'
import { documentedEntries, publicEntries, withoutRow } from './entries.js'
import { exceptionOf, exceptions } from './exceptions.js'
import { toPage } from './page.js'
import { providerDoors } from './provider-doors.js'
import { type Grid, type Outcome, runCell } from './run.js'
import { runtimeDoors } from './runtime-doors.js'
import { gridKey, startGridServer } from './server.js'

const groups = {
  'A provider': providerDoors,
  'The runtime': runtimeDoors,
  Dialogs: dialogDoors,
  Agents: agentDoors,
  'The AI SDK': aiSdkDoors,
}
const doors = Object.values(groups).flat()
let grid: Grid
beforeAll(async () => {
  grid = { server: await startGridServer(), store: await openSqliteStore(':memory:') }
})
afterAll(async () => {
  await grid.server.close()
  await grid.store.close()
})

/** What a cell is expected to come to; undefined for one that is known to be wrong. */
function expectedOf(door: Door, { head }: Api): Partial<Outcome> | undefined {
  const exception = exceptionOf(door, head)
  if (exception?.broken !== undefined) return undefined
  if (exception?.refused !== undefined) return { kind: 'refused', code: exception.refused }
  return { kind: 'works', requests: exception?.requests ?? door.requests }
}

/** Runs a column; what is not as expected, by row. */
async function unexpected(
  api: Api,
  key: string | undefined,
  expected: (door: Door) => Partial<Outcome> | undefined,
) {
  const found: Record<string, Outcome> = {}
  for (const door of doors) {
    const outcome = await runCell(grid, door, api, key)
    const wanted = expected(door)
    const isExpected = wanted
      ? Object.entries(wanted).every(([name, value]) => outcome[name as keyof Outcome] === value)
      : outcome.kind !== 'works'
    if (!isExpected) found[door.name] = outcome
  }
  return found
}

describe.each(apis)('at $head, $title,', (api) => {
  test('each row with a key does what the table says', async () => {
    expect(await unexpected(api, gridKey, (door) => expectedOf(door, api))).toEqual({})
  })
})

describe.each(apis.filter(({ needsKey }) => !needsKey))('at $head, which needs no key,', (api) => {
  test('each row does without a key what it does with one', async () => {
    expect(await unexpected(api, undefined, (door) => expectedOf(door, api))).toEqual({})
  })
})

describe.each(apis.filter(({ needsKey }) => needsKey))('at $head, which needs a key,', (api) => {
  test('each row is refused without one before anything is sent', async () => {
    expect(
      await unexpected(api, undefined, () => ({ kind: 'refused', code: 'config', requests: 0 })),
    ).toEqual({})
  })

  test('a wrong key is refused by the server', async () => {
    const [complete] = providerDoors as readonly [Door]
    expect(await runCell(grid, complete, api, 'sk-wrong-0123456789')).toMatchObject({
      code: 'auth',
      requests: 1,
    })
  })
})

test('each exception is of a row and of columns that exist', () => {
  expect(
    Object.keys(exceptions).filter((name) => !doors.some((door) => door.name === name)),
  ).toEqual([])
  const heads = apis.map(({ head }) => head)
  const named = Object.values(exceptions).flatMap((list) => list.flatMap(({ at }) => at.split(' ')))
  expect(named.filter((head) => !heads.includes(head))).toEqual([])
})

describe('every function and method that asks a model', () => {
  const covered = new Set(doors.flatMap(({ covers }) => covers))
  const known = new Set([...covered, ...withoutRow.map(({ where }) => where)])
  const lastNames = new Set([...known].map((name) => name.split('.').at(-1)))

  test('every function and method that asks a model has a row, or a reason to have none, if a report of a public interface has it', () => {
    expect(publicEntries().filter((name) => !known.has(name))).toEqual([])
  })

  test('every function and method that asks a model has a row, or a reason to have none, if docs/which-function.md names it', () => {
    expect(documentedEntries().filter((name) => !lastNames.has(name))).toEqual([])
  })

  test('every function and method that asks a model has no reason to be left out if it has a row, or if it is gone', () => {
    const exist = new Set([...publicEntries(), ...documentedEntries()])
    expect(withoutRow.filter(({ where }) => covered.has(where) || !exist.has(where))).toEqual([])
  })
})

test('the page shows the rows', async () => {
  await expect(toPage(groups)).toMatchFileSnapshot(join(root, 'evidence/grid.md'))
})
