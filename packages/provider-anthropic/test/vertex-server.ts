import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropicVertex } from '@modelport/test-formats'

/** A request, as the server read it. */
export interface Asked {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * What the server does with its next requests, in order: a failure, or a reply that is cut off
 * after some bytes.
 */
export type Trouble =
  | { readonly status: number; readonly body: unknown }
  | { readonly cutAt: number }

/** A failure as Google words it. */
export const google = (code: number, status: string, message: string): Trouble => ({
  status: code,
  body: { error: { code, message, status } },
})

const counts =
  '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/count-tokens:rawPredict'
const turn = {
  text: ['The sky', ' is blue.'],
  finish: 'stop',
  usage: { inputTokens: 3, outputTokens: 5 },
} as const
const invalid = (message: string): Trouble => ({
  status: 400,
  body: {
    type: 'error',
    error: { type: 'invalid_request_error', message },
    request_id: 'req_vrtx_1',
  },
})

/**
 * Claude on Vertex AI, on a socket of this computer: as strict as the documentation, and its tokens
 * expire.
 */
export async function startVertex() {
  const requests: Asked[] = []
  const tokens = new Set(['token-1-of-vertex', 'token-2-of-vertex'])
  const troubles: Trouble[] = []

  function judge(method: string, { path, headers, body }: Asked): Trouble | undefined {
    const token = headers['authorization']?.replace(/^Bearer /, '') ?? ''
    if (!tokens.has(token))
      return google(401, 'UNAUTHENTICATED', `Request had invalid credentials: ${token}`)
    if (path === counts && method === 'POST') {
      const { model, messages, anthropic_version: version, ...more } = body
      const known = ['system', 'tools', 'tool_choice', 'thinking', 'output_config']
      const extra = Object.keys(more).find((name) => !known.includes(name))
      if (extra !== undefined) return invalid(`${extra}: Extra inputs are not permitted`)
      return model && messages && version === 'vertex-2023-10-16'
        ? undefined
        : invalid('model: Field required')
    }
    const request = { method, path, headers, body }
    if (
      !anthropicVertex.matches(request) ||
      !path.startsWith('/v1/projects/my-project/locations/europe-west1/')
    )
      return google(
        404,
        'NOT_FOUND',
        `Publisher Model \`${path}\` was not found or your project does not have access to it.`,
      )
    const [broken] = anthropicVertex.violations(request)
    return broken === undefined ? undefined : invalid(broken)
  }

  function reply(method: string, asked: Asked, response: ServerResponse): void {
    requests.push(asked)
    const trouble = judge(method, asked) ?? troubles.shift()
    if (trouble && 'status' in trouble) {
      response
        .writeHead(trouble.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(trouble.body))
      return
    }
    if (asked.path === counts) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":7}')
      return
    }
    const { status, headers, pieces } = anthropicVertex.respond(turn, { method, ...asked })
    const bytes = Buffer.from(pieces.join(''))
    response.writeHead(status, headers)
    if (!trouble) response.end(bytes)
    else response.write(bytes.subarray(0, trouble.cutAt), () => response.destroy())
  }

  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked['body']
      const { url: path = '', method = '', headers } = request
      reply(method, { path, headers: headers as Asked['headers'], body }, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ baseUrl, requests, tokens, troubles },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
