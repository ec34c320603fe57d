import {
  Client,
  type ClientOptions,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { ServedMcp } from '@modelport/mcp/server'

/** What the official client speaks: 2026-07-28, or an older version with a session. */
export const eras = ['auto', 'legacy'] as const
type Era = (typeof eras)[number]

export const clientOf = (era: Era, capabilities: ClientOptions['capabilities'] = {}): Client =>
  new Client(
    { name: 'official', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: era } },
  )

/** The official client at the other end of `stdio`. */
export async function overStdio(
  server: ServedMcp,
  client: Client,
): Promise<{ readonly left: Promise<void> }> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const left = server.stdio(far)
  await client.connect(near)
  return { left }
}

/** The official client over HTTP, without a socket. */
export const overHttp = (server: ServedMcp, client: Client, token?: string): Promise<void> =>
  client.connect(
    new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
      fetch: (url, init) => server.fetch(new Request(url, init)),
      ...(token !== undefined && {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    }),
  )

/** The texts of a result. */
export const textsOf = (result: unknown): string =>
  (result as { readonly content: readonly { readonly text?: string }[] }).content
    .map(({ text }) => text)
    .join('\n')

/** What was thrown, with its code. */
export const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (value) => `no error: ${JSON.stringify(value)}`,
    (error: unknown) =>
      `${String((error as { readonly code?: unknown }).code)}: ${(error as Error).message}`,
  )
