import type { ScriptTurn } from '@modelport/conformance'
import { startWireServer, type WireServer } from '@modelport/conformance/wire-server'
import { anthropicMessages, gemini, openaiResponses } from '@modelport/test-formats'

const usage = { inputTokens: 30, outputTokens: 12 }
const ask: ScriptTurn = {
  text: ['Let me look.'],
  toolCalls: [
    { id: 'call_rome', name: 'get_weather', arguments: { city: 'Rome' } },
    { id: 'call_oslo', name: 'get_weather', arguments: { city: 'Oslo' } },
  ],
  finish: 'tool-calls',
  usage,
}

/**
 * Plays all three vendors. What it answers is made of what reached it, and a request that breaks a
 * rule of its API is refused.
 */
export function startOfflineModel(): Promise<WireServer> {
  return startWireServer({
    formats: [openaiResponses, anthropicMessages, gemini],
    reply: (request, { format }) => {
      const broken = format.violations(request)
      if (broken.length > 0) return format.failure(400, broken.join('; '))
      const { messages } = format.read(request)
      const results = messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))
      if (results.length === 0) return ask
      const last = messages.at(-1)
      const text =
        last?.role === 'user'
          ? 'To Rome, as I have just read.'
          : `Rome: it has ${results.join(' against ')}.`
      return { text: text.split(/(?= )/), finish: 'stop', usage }
    },
  })
}
