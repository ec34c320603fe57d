import type { AssistantMessage, Generation } from '@modelport/core'
import { defined } from '../base/defined.js'
import type { CallScope } from '../base/scope.js'
import type { Conversation } from '../exchange/conversation.js'
import { Pump } from './pump.js'

/**
 * Reads the first turn of a conversation, and the turns that continue it if it was paused, and
 * returns the whole reply.
 */
export async function generateReply(
  scope: CallScope,
  conversation: Conversation,
): Promise<Generation> {
  try {
    await readToEnd(conversation)
  } catch (error) {
    scope.end(error)
    throw error
  } finally {
    scope.end()
  }
  const { recorder } = conversation
  const message = conversation
    .messages()
    .findLast(({ role }) => role === 'assistant') as AssistantMessage
  return defined({
    text: conversation.fullText(),
    toolCalls: recorder.toolCalls,
    usage: conversation.usage(),
    finishReason: recorder.finishReason,
    message,
    reasoning: message.reasoning,
    ...conversation.details(),
  })
}

function readToEnd(conversation: Conversation): Promise<void> {
  return new Promise((resolve, reject) => {
    let over = false
    const onError = (error: unknown): void => {
      over = true
      reject(error)
    }
    const pump = new Pump(
      () => {
        conversation.advance()
      },
      () => !over,
      onError,
    )
    const observer = {
      onEvent: () => undefined,
      onStep: (more: unknown) => {
        over = more !== true
        if (over) resolve()
        pump.completed()
      },
      onError,
    }
    conversation.open(observer).then(() => {
      pump.start()
    }, onError)
  })
}
