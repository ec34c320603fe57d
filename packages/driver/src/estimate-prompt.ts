import { type CallOptions, type ChatMessage, estimateTokens, textOf, type TokenCount } from '@modelport/core'

/** What a message costs beside its text: roles and marks of the chat template. Measured templates have 3 to 8. */
const tokensPerMessage = 8

/** About how many tokens the prompt of a call would have, tools included, where nobody counts; images, audio and files are left out. */
export function estimatePrompt(messages: readonly ChatMessage[], { system, tools }: CallOptions, tokenFactor?: number): TokenCount {
  const texts = messages.map((message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.name + call.argumentsText) : []
    return textOf(message.content) + calls.join('')
  })
  const parts = [...(system === undefined ? [] : [system]), ...texts]
  const spoken = parts.reduce((sum, text) => sum + tokensPerMessage + estimateTokens(text, tokenFactor), 0)
  return { tokens: spoken + (tools?.length ? estimateTokens(JSON.stringify(tools), tokenFactor) : 0), source: 'estimate' }
}
