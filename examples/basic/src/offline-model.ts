import type { ScriptTurn } from '@modelport/conformance'
import { openaiChat } from '@modelport/conformance'
import { startWireServer, type WireServer } from '@modelport/conformance/wire-server'
import {
  anthropicMessages,
  bedrockConverse,
  gemini,
  ollamaChat,
  openaiResponses,
} from '@modelport/test-formats'

const say = (text: string): string[] => text.split(/(?<= )/)

const first: ScriptTurn = {
  text: say('Let me look up the weather and do the sum. '),
  toolCalls: [
    { id: 'call_weather', name: 'get_weather', arguments: { city: 'Paris' } },
    { id: 'call_sum', name: 'add', arguments: { a: 12, b: 30 } },
  ],
  finish: 'tool-calls',
  usage: { inputTokens: 142, outputTokens: 48 },
}

/**
 * A server on this machine that speaks every vendor's wire format, so that the demo needs no key
 * and no network.
 */
export function startOfflineModel(): Promise<WireServer> {
  return startWireServer({
    formats: [openaiResponses, openaiChat, anthropicMessages, bedrockConverse, gemini, ollamaChat],
    delayMs: 15,
    reply: (request, { format }) => {
      const results = format
        .read(request)
        .messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))
      if (!results.length) return first
      return {
        text: say(`You asked, and the tools say: ${results.join('; ')}. Have a good day!`),
        finish: 'stop',
        usage: { inputTokens: 203, outputTokens: 31 },
      }
    },
  })
}
