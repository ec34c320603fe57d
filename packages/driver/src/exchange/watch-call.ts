import { type ChatMessage, type FinishReason, slotOf, type TokenUsage } from '@modelport/core'
import type { Driver, Turn } from '../base/driver.js'
import type { CallContext } from '../call/call-context.js'
import type { StreamObserver } from './stream-observer.js'

/** A call that may be watched. */
interface Call {
  /** The first request. */
  readonly turn: Turn
  readonly context: CallContext<Driver>
  readonly reply: {
    readonly finishReason: FinishReason | undefined
    usage(): TokenUsage
    messages(): readonly ChatMessage[]
  }
}

/**
 * Publishes a call in the slot `modelport:call` if anybody subscribes; otherwise the observer comes
 * back as it is.
 */
export function watchCall(
  { turn, context, reply }: Call,
  observer: StreamObserver,
): StreamObserver {
  const slot = slotOf('call')
  if (!slot?.hasSubscribers) return observer
  const { config, driver, redact, scope } = context
  const { prices } = config.profile ?? {}
  const span = { redact }
  let isOver = false
  const tell = (type: string, value: unknown): void => {
    if (isOver) return
    isOver = type === 'end' || type === 'error'
    slot.publish({ span, type, value })
  }
  tell('start', { provider: driver.name, ...turn, ...(prices && { prices }) })
  scope.onEnd(() => {
    if (scope.reason !== undefined) tell('error', scope.reason)
    else
      tell('end', {
        usage: reply.usage(),
        finishReason: reply.finishReason,
        messages: reply.messages(),
      })
  })
  return {
    onEvent: (event) => {
      tell('event', event)
      observer.onEvent(event)
    },
    onStep: (more) => observer.onStep(more),
    onTurn: ({ messages }) => tell('event', { type: 'turn-start', messages }),
    onError: (error) => {
      tell('error', error)
      observer.onError(error)
    },
  }
}
