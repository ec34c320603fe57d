import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import { openaiChat, type ScriptTurn } from '@modelport/conformance'
import {
  startWireServer,
  type WireReply,
  type WireServer,
} from '@modelport/conformance/wire-server'
import { anthropicMessages, gemini, ollamaChat, openaiResponses } from '@modelport/test-formats'
import { createCA, createCert } from 'mkcert'

const usage = { inputTokens: 5, outputTokens: 2 }
const call: ScriptTurn = {
  toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } }],
  finish: 'tool-calls',
  usage,
}
const answer: ScriptTurn = { text: ['It is', ' cold.'], finish: 'stop', usage }

/** Calls the tool, then answers. */
const reply: WireReply = (request, { format }) =>
  format.read(request).messages.some(({ role }) => role === 'tool') ? answer : call

/** A server that speaks every vendor's wire format. */
export const startVendorServer = (): Promise<WireServer> =>
  startWireServer({
    formats: [openaiResponses, openaiChat, anthropicMessages, gemini, ollamaChat],
    reply,
  })

/** The vendors' own https addresses, on this computer. */
export interface SecureFront {
  readonly port: number
  close(): void
}

/**
 * Answers https for these hosts by a certificate of its own, whose authority is written to
 * `authorityFile`.
 */
export async function startSecureFront(
  server: WireServer,
  hosts: readonly string[],
  authorityFile: string,
): Promise<SecureFront> {
  const ca = await createCA({
    organization: 'modelport tests',
    countryCode: 'XX',
    state: 'none',
    locality: 'none',
    validity: 1,
  })
  const { key, cert } = await createCert({ ca, domains: [...hosts], validity: 1 })
  writeFileSync(authorityFile, ca.cert)
  const sockets = new Set<Socket>()
  const front = createServer({ key, cert }, (secure) => {
    const plain = connect(Number(new URL(server.url).port), '127.0.0.1')
    for (const socket of [secure, plain]) {
      sockets.add(socket)
      socket.on('error', () => {
        secure.destroy()
        plain.destroy()
      })
      socket.on('close', () => sockets.delete(socket))
    }
    secure.pipe(plain).pipe(secure)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  return {
    port: (front.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy()
      front.close()
    },
  }
}
