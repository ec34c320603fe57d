import { join } from 'node:path'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { createMock } from '@modelport/provider-mock'
import { infer } from '@modelport/runtime'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { command } from './test-io.js'

let home: string
let file: string
beforeEach(async () => {
  home = temporaryFolder('home')
  file = join(home, 'agents.db')
  const store = await openSqliteStore(file)
  const provider = createMock({ defaultResponse: 'Hi' })
  const budget = store.budgets.of('ada', { window: 'day', maxCalls: 2 })
  await infer(provider, { query: 'Hello', limits: { budget } })
  await store.close()
})
const cli = (...args: string[]) =>
  command(['budget', ...args, '--store', file], { home, stdin: '' })

describe('modelport budget', () => {
  test('lists what was used, who set the limits, and until when they hold', async () => {
    const { out, code } = await cli('list')
    expect(code).toBe(0)
    expect(out).toMatch(/^ada {2}day UTC {2}1 of 2 calls {2}set by program {2}until \d{4}-\S+Z\n$/)
    const data = JSON.parse((await cli('list', 'ada', '--json')).out) as object
    expect(data).toMatchObject({ budgets: [{ owner: 'ada', maxCalls: 2, used: { calls: 1 } }] })
    expect((await cli('list', 'bob')).out).toBe('bob has no budget in this store\n')
  })

  test("an operator's limits hold instead of the program's, until they are removed", async () => {
    const { out } = await cli(
      'set',
      'ada',
      '--window',
      'day',
      '--max-cost',
      '5',
      '--max-calls',
      '9',
    )
    expect(out).toMatch(/^ada {2}day UTC {2}0 of 5 USD {2}1 of 9 calls {2}set by operator/)
    expect((await cli('top-up', 'ada', '--window', 'day', '--calls', '3')).out).toContain(
      '1 of 9 calls (3 added)',
    )
    expect((await cli('remove', 'ada', '--window', 'day')).out).toBe(
      'removed the budget of ada, day\n',
    )
    expect((await cli('list')).out).toBe('this store has no budgets\n')
  })

  test('budget set refuses what cannot be, and says what to write', async () => {
    const missing = await cli('set', 'ada', '--window', 'day')
    expect(missing.err).toContain('give a limit: --max-cost, --max-tokens or --max-calls')
    const zone = await cli('set', 'ada', '--time-zone', 'Mars/Base', '--max-calls', '1')
    expect(zone.err).toContain('there is no time zone "Mars/Base"')
    expect(zone.code).not.toBe(0)
    const window = await cli('set', 'ada', '--window', 'week', '--max-calls', '1')
    expect(window.err).toContain('minute, hour, day, month, none')
    expect((await cli('top-up', 'bob', '--window', 'day', '--calls', '1')).err).toContain(
      '"bob" has no budget with the window day',
    )
    expect((await cli('set', 'ada', '--max-calls', '0')).err).toContain('must be above 0')
    expect((await cli('set', '', '--max-calls', '1')).err).toContain('the owner must be')
  })
})
