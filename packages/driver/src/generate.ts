import type { AssistantMessage, Generation } from '@modelport/core'
import type { CallContext } from './call-context.js'
import { defined } from './defined.js'
import { readOnce } from './event-reader.js'
import type { StartConversation } from './stream-readers.js'

/** Runs a conversation to the end of its first round, or of the rounds a pause strings together, and gives it as one answer. */
export async function generateAnswer(context: CallContext, start: StartConversation): Promise<Generation> {
  const conversation = start(() => undefined)
  try {
    await conversation.open()
    while (
      (await readOnce((callbacks) => {
        conversation.advance(callbacks)
      })) === true
    );
  } finally {
    context.scope.end()
  }
  const { recorder } = conversation
  const message = conversation.messages().findLast(({ role }) => role === 'assistant') as AssistantMessage
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
