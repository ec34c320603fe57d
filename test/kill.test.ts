import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judge } from '../bench/src/kill/judge.js'
import { moments } from '../bench/src/kill/moments.js'
import { bundleModelport } from '../bench/src/kill/program.js'
import { Try } from '../bench/src/kill/try.js'

// What evidence/kill.md says of modelport, with two jobs for each moment in place of twenty.
describe('the kill script', () => {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-kill-'))
  let program = ''
  beforeAll(async () => {
    program = await bundleModelport(folder)
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  test.concurrent.each([
    ['inside the tool', 1, 1],
    ['before the next reply', 1, 0],
    ['twice in a row', 2, 2],
    ['while a person is asked', 1, 0],
    ['inside the approved tool', 1, 1],
  ])(
    'modelport repeats and loses no call if it is killed %s',
    { timeout: 180_000 },
    async (name, kills, asked) => {
      const moment = moments.find((one) => one.name === name)
      const store = mkdtempSync(join(folder, 'store-'))
      const { outcomes } = await new Try({
        program,
        store,
        jobs: [`${name[0]}-1`, `${name[0]}-2`],
        ...(moment && { moment }),
      }).run()
      const expected = {
        kills,
        asked,
        doubled: [],
        sameKey: 0,
        lost: [],
        recoveryMs: expect.any(Number) as unknown,
      }
      expect(outcomes).toEqual([expected, expected])
    },
  )

  test('modelport asks, and does not pay again, when only the reply is lost', {
    timeout: 180_000,
  }, async () => {
    const moment = moments.find(({ losesReply }) => losesReply)!
    const store = mkdtempSync(join(folder, 'store-'))
    const { outcomes } = await new Try({ program, store, jobs: ['lost-1'], moment }).run()
    expect(outcomes).toEqual([{ kills: 0, asked: 1, doubled: [], sameKey: 0, lost: [] }])
  })

  test('an effect that the ledger has twice is doubled, one that it does not have is lost, and a job without its text is stuck', () => {
    const effects = [
      { job: 'j', call: 'pay', key: 'a' },
      { job: 'j', call: 'pay', key: 'b' },
      { job: 'j', call: 'note', key: 'c' },
      { job: 'j', call: 'note', key: 'c' },
    ]
    expect(judge(effects, ['pay', 'note', 'refund'], 'Done.', undefined)).toEqual({
      doubled: ['pay', 'note'],
      sameKey: 1,
      lost: ['refund'],
    })
    expect(judge([], ['pay'], undefined, 'no such run')).toMatchObject({
      stuck: 'no such run',
      lost: [],
    })
  })
})
