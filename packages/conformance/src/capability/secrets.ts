import { isLlmError } from '@modelport/core'
import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import { type ServerReply, toReply } from '../memory-server.js'
import { assertClean, formsOf } from '../suite/sinks.js'
import type { CapabilityLab, CapabilityTest } from './capability-lab.js'

const once = { retry: { attempts: 1 } }

/** M6: keys and hosts. */
export const capabilitySecrets: Readonly<Record<string, CapabilityTest>> = {
  'M6 the key is in no failure, however the server repeats it': async (lab) => {
    const { apiKey } = lab.harness
    for (const shown of apiKey === undefined ? [] : formsOf(apiKey)) {
      for (const [name, reply] of Object.entries(leaks(lab, shown))) {
        const { call } = lab.connect(() => reply)
        const error = await rejection(call(once), name)
        assert(isLlmError(error), `${name}: rejected with ${String(error)}`)
        assertClean(error, apiKey ?? '', name)
      }
    }
  },
  'M6 the key is sent, and hangs on no object': async (lab) => {
    const { apiKey } = lab.harness
    const { requests, ...calls } = lab.connect(() => lab.good())
    const result = await calls.call({})
    if (apiKey === undefined) return
    const head = JSON.stringify([requests[0]?.headers, requests[0]?.path])
    assert(
      formsOf(apiKey).some((form) => head.includes(form)),
      'the key that the harness names was not sent',
    )
    assertClean(result, apiKey, 'the result')
  },
  'M6 a redirect is refused, and nothing is sent to its target': async (lab) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const location = 'https://elsewhere.example/v1'
      const { call, requests } = lab.connect(() => ({ status, headers: { location }, steps: [] }))
      assertCode(await rejection(call({}), `status ${status}`), 'redirect-refused', `status ${status}`)
      assertEqual(requests.length, 1, `requests with status ${status}`)
    }
  },
  'M6 enforceHosts refuses a host that is not listed, and allows its own': async (lab) => {
    const other = lab.connect(() => lab.good(), { enforceHosts: ['other.example:443'] })
    assertCode(await rejection(other.call({}), 'the call'), 'config', 'the call')
    assertEqual(other.requests.length, 0, 'requests')
    const own = lab.connect(() => lab.good(), { enforceHosts: true })
    await own.call({})
    assertEqual(own.requests.length, 1, 'requests to its own host')
  },
}

function leaks(lab: CapabilityLab, shown: string): Readonly<Record<string, ServerReply>> {
  const { harness } = lab
  return {
    'a 401 that repeats it': toReply(
      harness.failure(401, `Incorrect API key provided: ${shown}.`, { 'x-request-id': shown, 'request-id': shown }),
    ),
    'a web page': toReply({
      status: 502,
      headers: { 'content-type': 'text/html' },
      pieces: [`<p>Bearer ${shown}</p>`],
    }),
    'a body that is not JSON': toReply({
      status: 200,
      headers: { 'content-type': 'application/json' },
      pieces: [`{"echo ${shown}`],
    }),
    'a failure inside a response of status 200': toReply({ ...harness.failure(401, `You sent ${shown}`), status: 200 }),
    'a transport that names it': {
      status: 200,
      headers: {},
      steps: [],
      reject: Object.assign(new TypeError('fetch failed', { cause: new Error(`connect with ${shown}`) }), {
        request: { headers: { authorization: `Bearer ${shown}` } },
      }),
    },
  }
}
