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
  const publish = (type: string, value: unknown): void => {
    if (isOver) return
    isOver = type === 'end' || type === 'error'
    slot.publish({ span, type, value })
  }
  publish('start', { provider: driver.name, ...turn, ...(prices && { prices }) })
  scope.onEnd(() => {
    if (scope.reason !== undefined) publish('error', scope.reason)
    else
      publish('end', {
        usage: reply.usage(),
        finishReason: reply.finishReason,
        messages: reply.messages(),
      })
  })
  return {
    onEvent: (event) => {
      publish('event', event)
      observer.onEvent(event)
    },
    onStep: (more) => observer.onStep(more),
    onTurn: ({ messages }) => publish('event', { type: 'turn-start', messages }),
    onError: (error) => {
      publish('error', error)
      observer.onError(error)
    },
  }
}
