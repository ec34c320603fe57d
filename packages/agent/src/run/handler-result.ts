import type { Message } from '../models/message.js'
import type { Part } from '../models/part.js'
import type { HandlerResult, TaskOutcome } from './agent.js'

const states: readonly TaskOutcome['state'][] = [
  'input-required',
  'auth-required',
  'failed',
  'rejected',
]

/**
 * The outcome that parts of a handler stand for: an `error` part fails the task, a `status` part
 * names its state. Unset: they are the answer.
 */
export function outcomeOfParts(list: readonly Part[]): TaskOutcome | undefined {
  const others = list.filter(({ type }) => type !== 'status')
  for (const part of list) {
    const said = (text: string | undefined): readonly Part[] => [
      ...(text === undefined ? [] : [{ type: 'text', content: text } as const]),
      ...others,
    ]
    if (part.type === 'error') return { state: 'failed', message: said(part.content.message) }
    if (part.type !== 'status') continue
    const state = states.find((name) => name === part.content.state)
    if (state) return { state, message: said(part.content.message) }
  }
  return undefined
}

/** True for a handler that ends its turn in another state. */
export const isOutcome = (outcome: NonNullable<HandlerResult>): outcome is TaskOutcome =>
  typeof outcome === 'object' && 'state' in outcome

/** True for a handler that answers with a message. */
export const isMessage = (outcome: NonNullable<HandlerResult>): outcome is Message =>
  typeof outcome === 'object' && 'parts' in outcome
