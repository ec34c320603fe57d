import { textHash } from '../../base/json-hash.js'
import type { InterpretedReply } from '../../reply/read-reply.js'
import type { GivenCall } from '../request/run-request.js'
import type { Uses } from '../state/run-state.js'

type Calls = Extract<InterpretedReply, { kind: 'calls' }>

/** The steps of a run that make given calls, one each, before the model is asked. */
export const countGiven = ({ request }: Uses<'request'>): number => request.calls?.length ?? 0

/** True for a step that makes a given call. */
export const isGiven = ({ request }: Uses<'request'>, step: number): boolean =>
  step <= (request.calls?.length ?? 0)

/**
 * The call of the current step, as if the model had asked for it; undefined if the model is asked.
 */
export function givenCalls({ request, turn }: Uses<'request' | 'turn'>): Calls | undefined {
  const given = request.calls?.[turn.step - 1]
  return (
    given && {
      kind: 'calls',
      native: true,
      repairs: [],
      calls: [toPlanned(given, request.runId, turn.step)],
    }
  )
}

function toPlanned(
  { name, arguments: args }: GivenCall,
  runId: string,
  step: number,
): Calls['calls'][number] {
  // The same after a resume, another one in each run of a conversation, and one that every vendor
  // takes.
  const id = `call_${textHash(runId).slice(0, 12)}_${step}`
  return {
    call: { id, name, arguments: args, argumentsText: JSON.stringify(args) },
    action: { type: 'tool_call', tool: name, args },
  }
}
