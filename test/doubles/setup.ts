import { channel } from 'node:diagnostics_channel'
import { relative } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { root } from '../../scripts/workspaces.ts'
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
