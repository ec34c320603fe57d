import { AgentError } from '../base/agent-error.js'
import type { SessionKey } from './session-store.js'

/** Refuses whoever cannot have the turn of a session; `metadata.turn` names who has it. */
export const sessionBusy = ({ id }: Pick<SessionKey, 'id'>, turn: string): AgentError =>
  new AgentError('busy', `"${turn}" has the turn of session ${id}; try again when it is over`, {
    retryAfterMs: 1_000,
    metadata: { turn },
  })
