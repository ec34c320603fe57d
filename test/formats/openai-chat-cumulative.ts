import type { WireFormat, WireResponse } from '@modelport/conformance'
import { openaiChat } from '@modelport/conformance'

/**
 * Chat Completions of servers whose events hold the message so far next to the delta and have the
 * object `chat.completion`: only `finish_reason` and `[DONE]` show that the stream is whole.
 * @see https://docs.perplexity.ai/docs/sonar/pro-search/stream-mode.md (read 2026-11-21)
 */
export const openaiChatCumulative: WireFormat = {
  ...openaiChat,
  respond: (turn, request) => accumulate(openaiChat.respond(turn, request)),
  respondThenFail: (turn, request, message) =>
    accumulate(openaiChat.respondThenFail(turn, request, message)),
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[]
}

function accumulate(response: WireResponse): WireResponse {
  let content = ''
  const pieces = response.pieces.map((piece) => {
    if (!piece.startsWith('data: {')) return piece
    const chunk = JSON.parse(piece.slice('data: '.length)) as Chunk
    const [choice] = chunk.choices ?? []
    if (!choice?.delta) return piece
    content += choice.delta.content ?? ''
    const message = { role: 'assistant', content }
    return `data: ${JSON.stringify({ ...chunk, object: 'chat.completion', choices: [{ ...choice, message }] })}\n\n`
  })
  return { ...response, pieces }
}
