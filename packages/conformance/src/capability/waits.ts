import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import { toReply } from '../memory-server.js'
import { until, withoutHang } from '../virtual-clock.js'
import type { CapabilityConnection, CapabilityLab, CapabilityTest } from './capability-lab.js'

const once = { retry: { attempts: 1 } }

/** M4: aborts and clocks. */
export const capabilityWaits: Readonly<Record<string, CapabilityTest>> = {
  'M4 aborted before the call: no request': async (lab) => {
    const { call, requests } = lab.connect(() => lab.good())
    const signal = AbortSignal.abort(new Error('never mind'))
    assert((await rejection(call({ signal }), 'the call')) === signal.reason, 'not the reason of the signal')
    assertEqual([requests.length, lab.clock.pending], [0, 0], 'requests, timers left')
  },
  'M4 aborted while waiting for the headers': async (lab) => {
    const connection = lab.connect(() => ({ status: 200, headers: {}, steps: [], stallHeaders: true }))
    await abortedAt(lab, connection, () => connection.requests[0]?.stalled === true)
  },
  'M4 aborted inside the body': async (lab) => {
    const connection = lab.connect(() => lab.good([lab.body.subarray(0, 2), 'stall']))
    await abortedAt(lab, connection, () => connection.requests[0]?.stalled === true)
  },
  'M4 aborted while waiting to try again': async (lab) => {
    const connection = lab.connect(() => toReply(lab.harness.failure(503, 'later', { 'retry-after': '20' })))
    await abortedAt(lab, connection, () => connection.requests.length === 1 && lab.clock.dueWithin(20_000))
  },
  'M4 a deadline spans attempts, waits and reads': async (lab) => {
    const slow = { ...lab.good(), stallHeaders: true }
    const stalled = lab.good([lab.body.subarray(0, 2), 'stall'])
    for (const reply of [slow, stalled]) {
      const { call } = lab.connect(() => reply)
      const error = await lab.clock.run(rejection(call({ deadlineMs: 9_000 }), 'the call'), 'the call')
      assertCode(error, 'timeout', 'the call')
      assertEqual([error.reason, lab.clock.pending], ['deadline', 0], 'reason, timers left')
    }
  },
  'M4 a silent server is given up': async (lab) => {
    const timeouts = { headersMs: 5_000, idleMs: 6_000 }
    const silent = { ...lab.good(), stallHeaders: true }
    const stalled = lab.good([lab.body.subarray(0, 2), 'stall'])
    for (const [reason, reply] of Object.entries({ headers: silent, idle: stalled })) {
      const { call } = lab.connect(() => reply, { timeouts })
      const error = await lab.clock.run(rejection(call(once), reason), reason)
      assertCode(error, 'timeout', reason)
      assertEqual([error.reason, lab.clock.pending], [reason, 0], 'reason, timers left')
    }
  },
  'M4 nothing is left behind': async (lab) => {
    const { call, requests } = lab.connect(() => lab.good())
    await call({ deadlineMs: 60_000, signal: new AbortController().signal })
    assertEqual([requests[0]?.closed, lab.clock.pending], [true, 0], 'connection closed, timers left')
  },
}

async function abortedAt(lab: CapabilityLab, connection: CapabilityConnection, at: () => boolean): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  const outcome = rejection(connection.call({ signal }), 'the call')
  await until(at, 'the call waits')
  controller.abort()
  assert((await withoutHang(outcome, 'the call')) === signal.reason, 'not rejected with the reason of the signal')
  await lab.clock.advance(60_000)
  assertEqual([connection.requests.length, lab.clock.pending], [1, 0], 'requests, timers left')
  await until(() => connection.requests[0]?.closed === true, 'the connection is dropped')
}
