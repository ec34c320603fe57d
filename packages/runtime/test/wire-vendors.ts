import type { ScriptTurn, WireConversation, WireRequest } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import { onTestFinished } from 'vitest'
import { type TestedApi, testedApis } from '../../../test/providers.js'

/** Every provider that speaks over a network. */
export const vendors: readonly TestedApi[] = testedApis

/** What the model says to a request: the turn for its place, or one made of what was sent. */
export type Reply = ScriptTurn | ((sent: WireConversation) => ScriptTurn)

/**
 * A provider whose server on the loopback address plays the replies (the last one repeats) and
 * holds each request to the rules of its API.
 */
export async function connect(vendor: TestedApi, ...replies: readonly Reply[]) {
  const violations: string[] = []
  const sent: WireConversation[] = []
  const server = await startWireServer({
    formats: [vendor.format],
    reply: (request: WireRequest, { index }) => {
      violations.push(...vendor.format.violations(request))
      const conversation = vendor.format.read(request)
      sent.push(conversation)
      const reply = replies[Math.min(index, replies.length - 1)] as Reply
      return typeof reply === 'function' ? reply(conversation) : reply
    },
  })
  onTestFinished(() => server.close())
  return {
    provider: vendor.create({ defaults: { retry: { attempts: 1 } } }, server.url),
    sent,
    violations,
    server,
  }
}

let nextId = 0

/** A turn that says something. */
export const says = (...text: readonly string[]): ScriptTurn => ({
  text,
  finish: 'stop',
  usage: { inputTokens: 50, outputTokens: 10 },
})

/** A turn that calls tools. */
export const asksFor = (
  ...calls: readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[]
): ScriptTurn => ({
  toolCalls: calls.map(([name, args]) => ({ id: `call_${++nextId}`, name, arguments: args })),
  finish: 'tool-calls',
  usage: { inputTokens: 40, outputTokens: 8 },
})
