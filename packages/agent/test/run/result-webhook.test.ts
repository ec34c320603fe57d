// A message that came with the secret of a call is about that call only, also if a provider gives
// two calls of one run the same id.
import { webhookPrincipal } from '@modelport/runtime'
import { expect, it } from 'vitest'
import { createMessage } from '../../src/models/message.js'
import { createPart } from '../../src/models/part.js'
import { aboutOpenCall } from '../../src/run/result-webhook.js'
import type { WaitingRequest, WaitState } from '../../src/run/wait-state.js'

const request = (fields: Partial<WaitingRequest>): WaitingRequest => ({
  requestId: 'run_1:c1#result',
  callId: 'c1',
  runDigest: '',
  digest: '',
  action: {},
  uncertain: true,
  isLate: true,
  ...fields,
})
const waitingAt = (step: number, fields: Partial<WaitingRequest> = {}): WaitState => ({
  version: 1,
  kind: 'run',
  requests: [request(fields)],
  asked: { runId: 'run_1', step, seq: 1 },
})
const failed = createPart.request({
  requestId: 'run_1:c1#step-2',
  outcome: 'did-not-happen',
  result: 'no paper',
})
const message = createMessage('user', [failed])
const about = (wait: WaitState, by: string = webhookPrincipal) => {
  const [part] = aboutOpenCall(message, by, wait).parts
  return part?.type === 'request' && [part.content.requestId, part.content.outcome]
}

it('a result is about the request of its call', () => {
  expect(about(waitingAt(2))).toEqual(['run_1:c1#result', 'did-not-happen'])
})

it('work that failed after its process died is what came of the call, which is not made again', () => {
  const died = { requestId: 'run_1:c1#3' }
  const { isLate: _, ...uncertain } = request(died)
  expect(about({ ...waitingAt(2), requests: [uncertain] })).toEqual(['run_1:c1#3', 'happened'])
})

it.each([
  ['a call of another step', waitingAt(3), webhookPrincipal],
  ['another call', waitingAt(2, { requestId: 'run_1:c10#result' }), webhookPrincipal],
  [
    'a call of an agent that was called',
    waitingAt(2, { child: { agent: 'a', taskId: 't', requestId: 'r' } }),
    webhookPrincipal,
  ],
  ['the same call, for somebody without the secret', waitingAt(2), 'alice'],
] as const)('a result is not about %s', (_, wait, by) => {
  expect(about(wait, by)).toEqual(['run_1:c1#step-2', 'did-not-happen'])
})
