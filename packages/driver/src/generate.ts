import type { AssistantMessage, Generation } from '@modelport/core'
import type { CallContext } from './call-context.js'
import { defined } from './defined.js'
import { oneStep } from './event-reader.js'
import type { TurnRecorder } from './turn-recorder.js'
import type { StartConversation } from './stream-readers.js'

/** Runs a conversation to the end of its first round, or of the rounds a pause strings together, and gives it as one answer. */
export async function generateAnswer(context: CallContext, start: StartConversation, provider: string): Promise<Generation> {
  const recorders = new Set<TurnRecorder>()
  const conversation = start(() => undefined)
  try {
    await conversation.open()
    while ((await oneStep((step) => { conversation.advance(step) })) === true) recorders.add(conversation.recorder)
  } finally {
    context.scope.end()
  }
  const { recorder } = conversation
  const rounds = [...recorders]
  const message = (conversation.messages().findLast(({ role }) => role === 'assistant') ?? recorder.message(provider)) as AssistantMessage
  const lists = {
    logprobs: rounds.flatMap(({ tokenLogprobs }) => tokenLogprobs),
    citations: rounds.flatMap(({ citations }) => citations),
    providerToolCalls: rounds.flatMap(({ providerToolCalls }) => providerToolCalls),
    warnings: rounds.flatMap(({ warnings }) => warnings),
  }
  return defined({
    text: conversation.fullText(),
    toolCalls: recorder.toolCalls,
    usage: conversation.usage(),
    finishReason: recorder.finishReason,
    rawFinishReason: recorder.rawFinishReason,
    message,
    reasoning: message.reasoning,
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length)),
  })
}
