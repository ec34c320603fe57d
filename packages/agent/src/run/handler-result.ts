import type { Message } from '../models/message.js'
import type { Part } from '../models/part.js'
import type { HandlerResult, TaskOutcome } from './agent.js'

/** True for a handler that ends its turn in another state. */
export const isOutcome = (outcome: NonNullable<HandlerResult>): outcome is TaskOutcome =>
  typeof outcome === 'object' && 'state' in outcome

/** True for a handler that answers with a message. */
export const isMessage = (outcome: string | readonly Part[] | Message): outcome is Message =>
  typeof outcome === 'object' && 'parts' in outcome
