// How fast this machine is while the checks run: every ten seconds a fixed piece of work, and the
// milliseconds of processor time that it took, one line each. Processor time is dearer on a slow or
// a shared core; the plans of budget.json hold for a piece of `yardstick` ms.
import { appendFileSync } from 'node:fs'
import { setInterval } from 'node:timers'

const piece = {
  list: Array.from({ length: 400 }, (_, id) => ({
    id,
    name: `row ${id}`,
    tags: ['a', 'b', String(id)],
  })),
}

/**
 * @returns the milliseconds of processor time of one piece: JSON, objects and sorting, as in most
 * tests.
 */
export function measurePiece() {
  const before = process.cpuUsage()
  for (let round = 0; round < 60; round++) {
    const copy = JSON.parse(JSON.stringify(piece))
    copy.list.sort((a, b) => (a.name < b.name ? -1 : 1))
    new Map(copy.list.map((row) => [row.name, { ...row, round }]))
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

if (process.argv[2]) {
  for (let round = 0; round < 10; round++) measurePiece() // compiled before it counts
  setInterval(() => appendFileSync(process.argv[2], `${measurePiece().toFixed(1)}\n`), 10_000)
}
