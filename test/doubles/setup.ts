import { channel } from 'node:diagnostics_channel'
import { relative } from 'node:path'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { root } from '../../scripts/workspaces.ts'
import { findBusyLoop } from '../support/busy-loop.ts'
import { begin, checkWire, describeRefusals, takeRefusals } from './refusals.ts'

// Every server of the kit in this process asks it.
Object.assign(globalThis, { [Symbol.for('modelport.wire-check')]: checkWire })

const failWhereRefused = (): void => {
  const found = takeRefusals()
  if (found.length) throw new Error(describeRefusals(found))
}

beforeEach(({ task }) => {
  begin({ file: relative(root, task.file.filepath), title: task.fullTestName })
})
afterEach(failWhereRefused)
afterAll(failWhereRefused)

// The next file in this process would be observed: it would cost more, and be slower.
afterAll(() => {
  for (const kind of ['run', 'task', 'durable', 'call'])
    if (channel(`modelport:${kind}`).hasSubscribers)
      throw new Error(`a test left a subscriber of modelport:${kind}`)
})

// The clock of the next file would stand.
afterAll(() => {
  if (!vi.isFakeTimers()) return
  vi.useRealTimers()
  throw new Error('a test left the clock stopped: call vi.useRealTimers() in afterEach')
})

// What polls takes time from every later file of this process, and keeps a stopped clock from
// reaching the next timer.
afterAll(async () => {
  const started = await findBusyLoop()
  if (started) throw new Error(`a test left something that polls:\n${started}`)
})
