import { spawnSync } from 'node:child_process'
import { isLlmError } from '@modelport/core'
import { expect, test } from 'vitest'
import { root } from '../support/repository.js'
import { attackTimeout, count, fullAttack, tries } from './outcome.js'
import { readers } from './readers.js'
import { shapes } from './shapes.js'

/** Each reader meets each sixth shape in the tests of every commit, not all the same ones. */
const every = tries(6, 1)

test('the counted work of every reader grows no faster than what it reads', {
  timeout: attackTimeout,
}, () => {
  const program = [
    '--import',
    './scripts/sources.mjs',
    'test/attack/growth-program.ts',
    '1024',
    String(every),
  ]
  const { stdout, stderr } = spawnSync(process.execPath, program, { cwd: root, encoding: 'utf8' })
  expect(stdout, stderr).not.toBe('')
  const counts = JSON.parse(stdout) as Record<
    string,
    Record<string, readonly [small: number, large: number]>
  >
  expect(Object.keys(counts)).toEqual(Object.keys(readers))
  const all = Object.entries(counts).flatMap(([name, of]) =>
    Object.entries(of).map(([shape, [small, large]]) => ({ name, shape, small, large })),
  )
  // Four times the length: a quadratic step is executed sixteen times as often.
  expect(all.filter(({ small, large }) => large > 5 * small + 100)).toEqual([])
  count(all.length)
})

/**
 * CPU time in milliseconds, the least of three; the clock of the wall would measure the other
 * programs.
 */
async function workOf(read: (text: string) => unknown, text: string): Promise<number> {
  let least = Infinity
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage()
    try {
      await read(text)
    } catch (error) {
      if (!isLlmError(error) && !(error instanceof Error && error.name.endsWith('Error')))
        throw error
    }
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

// What the platform does at one call of ours, such as the search in a text, is in no count.
test.each(Object.entries(readers).map(([name, read], index) => ({ name, read, index })))(
  'the processor time of $name grows no faster than its length',
  { timeout: attackTimeout },
  async ({ read, index }) => {
    const size = fullAttack ? 1 << 16 : 1 << 13
    for (const [shape, make] of Object.entries(shapes).filter(
      (_, at) => at % every === index % every,
    )) {
      const work: number[] = []
      for (const length of [size, 4 * size]) work.push(await workOf(read, make(length)))
      const [small = 0, large = 0] = work
      // What is over at once is not compared.
      expect(large, `${shape}: ${work.join(', ')}`).toBeLessThan(Math.max(10 * small, 150))
      count(1)
    }
  },
)
