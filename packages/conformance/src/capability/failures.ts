import type { RetryNotice } from '@modelport/core'
import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import { type ServerReply, toReply } from '../memory-server.js'
import { codesByStatus, retriedStatuses } from '../status-codes.js'
import { assertSame, type CapabilityLab, type CapabilityTest, resolved } from './capability-lab.js'

const failing =
  (lab: CapabilityLab, status: number, headers?: Record<string, string>): (() => ServerReply) =>
  () =>
    toReply(lab.harness.failure(status, 'the reason why', headers))

/** M3: failures and attempts. */
export const capabilityFailures: Readonly<Record<string, CapabilityTest>> = {
  'M3 a failure that will not go away is not tried again, and has the code of its status': async (lab) => {
    for (const [status, codes] of codesByStatus) {
      if (retriedStatuses.includes(status)) continue
      const { call, requests } = lab.connect(failing(lab, status))
      const error = await lab.clock.run(rejection(call({}), `status ${status}`), `status ${status}`)
      assertCode(error, codes, `status ${status}`)
      assertEqual([requests.length, error.status, error.attempts], [1, status, 1], `status ${status}`)
      assert(error.message.includes('the reason why'), `the server's text is missing: ${error.message}`)
    }
  },
  'M3 a failure that may go away is tried three times': async (lab) => {
    for (const status of retriedStatuses) {
      const codes = codesByStatus.get(status) ?? []
      const { call, requests } = lab.connect(failing(lab, status))
      assertCode(await lab.clock.run(rejection(call({}), 'the call'), 'the call'), codes, `status ${status}`)
      assertEqual(requests.length, 3, `requests with status ${status}`)
    }
  },
  'M3 after a retry the result is as if nothing had happened': async (lab) => {
    const cut = (): ServerReply => lab.good([lab.body.subarray(0, 2), 'reset'])
    for (const reply of [failing(lab, 503), failing(lab, 429), refused, cut]) {
      const { call, requests } = lab.connect((_, index) => (index ? lab.good() : reply()))
      const result = await lab.clock.run(resolved(call({}), 'the call'), 'the call')
      assertSame(result, lab.harness.expected, 'the result')
      assertEqual(requests.length, 2, 'requests')
      assertEqual(requests[1]?.body, requests[0]?.body, 'the body of the second attempt')
    }
  },
  'M3 attempts, onRetry and the wait that the server asks for are kept': async (lab) => {
    const { call, requests } = lab.connect(failing(lab, 503, { 'retry-after': '7' }))
    const heard: RetryNotice[] = []
    const retry = { attempts: 2, onRetry: (notice: RetryNotice) => void heard.push(notice) }
    await lab.clock.run(rejection(call({ retry }), 'the call'), 'the call')
    assertEqual([requests.length, heard.length], [2, 1], 'requests and notices')
    assert((requests[1]?.at ?? 0) >= 7000, `the second attempt came after ${requests[1]?.at} ms`)
  },
}

const refused = (): ServerReply => ({
  status: 200,
  headers: {},
  steps: [],
  reject: Object.assign(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }), { code: 'ECONNREFUSED' }),
})
