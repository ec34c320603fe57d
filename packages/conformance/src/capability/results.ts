import { isLlmError } from '@modelport/core'
import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import { toReply } from '../memory-server.js'
import { inChunks } from '../wire-text.js'
import { assertSame, bytesOf, type CapabilityTest, resolved } from './capability-lab.js'

const once = { retry: { attempts: 1 } }

/** M1, M2, M5: the request of a call, and its result. */
export const capabilityResults: Readonly<Record<string, CapabilityTest>> = {
  'M1 the result is what the response says': async (lab) => {
    const { call } = lab.connect(() => lab.good())
    assertSame(await resolved(call({}), 'the call'), lab.harness.expected, 'the result')
  },
  'M1 any split of the same bytes gives the same result': async (lab) => {
    const { body } = lab
    for (const size of [1, 2, 3, 7, 64]) {
      const { call } = lab.connect(() => lab.good(inChunks(body, size)))
      assertSame(await resolved(call({}), `pieces of ${size}`), lab.harness.expected, `pieces of ${size}`)
    }
  },
  'M2 one call is one request': async (lab) => {
    const { call, requests } = lab.connect(() => lab.good())
    await resolved(call({}), 'the first call')
    await resolved(call({}), 'the second call')
    assertEqual(requests.length, 2, 'requests of two calls')
  },
  'M2 vendor fields reach the wire': async (lab) => {
    const { call, requests } = lab.connect(() => lab.good())
    await resolved(call({ vendor: { modelport_probe: 'probe-value' } }), 'the call')
    const sent = JSON.stringify(requests[0]?.body)
    assertEqual([sent.includes('modelport_probe'), sent.includes('probe-value')], [true, true], 'vendor fields')
  },
  'M2 what the API cannot express is unsupported, before anything is sent': async (lab) => {
    const { unsupported, requests } = lab.connect(() => lab.good())
    for (const [name, call] of Object.entries(unsupported))
      assertCode(await rejection(call({}), name), 'unsupported', name)
    assertEqual(requests.length, 0, 'requests')
  },
  'M2 input that is wrong is refused before anything is sent': async (lab) => {
    const { invalid, requests } = lab.connect(() => lab.good())
    for (const [name, call] of Object.entries(invalid))
      assertCode(await rejection(call({}), name), 'invalid-request', name)
    assertEqual(requests.length, 0, 'requests')
  },
  'M5 a connection that breaks at any byte is truncated': async (lab) => {
    const { body } = lab
    for (let cut = 0; cut < body.length; cut += Math.max(1, Math.floor(body.length / 40))) {
      const { call } = lab.connect(() => lab.good([body.subarray(0, cut), 'reset']))
      const code = cut ? 'truncated' : (['truncated', 'network'] as const)
      assertCode(await rejection(call(once), `cut at ${cut}`), code, `cut at ${cut}`)
    }
  },
  'M5 a body shorter than it should be is truncated': async (lab) => {
    const { body } = lab
    const { headers } = lab.harness.response
    const announced = { ...headers, ...(lab.harness.file && { 'content-length': String(body.length) }) }
    for (let cut = 1; cut < body.length; cut += Math.max(1, Math.floor(body.length / 40))) {
      const { call } = lab.connect(() => ({ status: 200, headers: announced, steps: [body.subarray(0, cut)] }))
      assertCode(await rejection(call(once), `ended at ${cut}`), 'truncated', `ended at ${cut}`)
    }
  },
  'M5 a response without a valid result is a protocol error': async (lab) => {
    const page = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Sign in</title>' }
    for (const [name, response] of Object.entries({ ...lab.harness.malformed, 'a web page': page })) {
      const { call } = lab.connect(() => ({ status: 200, headers: response.headers, steps: [bytesOf(response)] }))
      assertCode(await rejection(call(once), name), 'protocol', name)
    }
  },
  'M5 a failure inside a response of status 200 keeps the text of the server': async (lab) => {
    const response = { ...lab.harness.failure(400, 'the reason why'), status: 200 }
    const { call } = lab.connect(() => toReply(response))
    const error = await rejection(call(once), 'the call')
    assert(isLlmError(error) && error.message.includes('the reason why'), `rejected with ${String(error)}`)
    assert(!['protocol', 'truncated'].includes(error.code), `the code is ${error.code}`)
  },
  'M5 an empty body is never a result': async (lab) => {
    const { call } = lab.connect(() => lab.good([]))
    assertCode(await rejection(call(once), 'no body'), ['truncated', 'protocol'], 'no body')
  },
  'M5 a body beyond the limit is refused': async (lab) => {
    const { call, requests } = lab.connect(() => lab.good(), { limits: { maxBodyBytes: lab.body.length - 1 } })
    assertCode(await rejection(call({}), 'the call'), 'limit-exceeded', 'the call')
    assertEqual(requests.length, 1, 'requests')
  },
}
