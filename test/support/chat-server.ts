import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuse } from '../doubles/refusals.ts'
import { createDocModel, type DocRequest, outputTokensOf } from './doc-model.js'

interface ChatRequest {
  readonly stream?: boolean
  readonly tools?: readonly { readonly function: DocRequest['tools'][number] }[]
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
  readonly response_format?: { readonly json_schema?: { readonly schema?: unknown } }
}

const usageOf = (outputTokens: number): object => ({
  prompt_tokens: 12,
  completion_tokens: outputTokens,
  total_tokens: 12 + outputTokens,
})

/** The message of the model, as Chat Completions has it. */
function answer(
  model: ReturnType<typeof createDocModel>,
  request: ChatRequest,
): { message: object; finish_reason: string; usage: object } {
  const messages = request.messages.map(({ role, content }) => ({
    role,
    text: typeof content === 'string' ? content : '',
  }))
  const reply = model.reply({
    system: messages.find(({ role }) => role === 'system')?.text ?? '',
    tools: request.tools?.map((tool) => tool.function) ?? [],
    messages: messages.filter(({ role }) => role !== 'system'),
    schema: request.response_format?.json_schema?.schema,
  })
  const usage = usageOf(outputTokensOf(reply))
  if ('text' in reply)
    return { message: { role: 'assistant', content: reply.text }, finish_reason: 'stop', usage }
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: reply.tool, arguments: JSON.stringify(reply.args) },
  }
  return {
    message: { role: 'assistant', content: null, tool_calls: [call] },
    finish_reason: 'tool_calls',
    usage,
  }
}

/**
 * The smallest server with `/chat/completions`, written without this repository's own code:
 * what the README shows must work with a server that knows nothing of modelport.
 */
export async function startChatServer(
  model = createDocModel(),
  { port = 0, apiKey }: { readonly port?: number; readonly apiKey?: string } = {},
): Promise<{ baseUrl: string; requests: ChatRequest[]; close: () => void }> {
  const requests: ChatRequest[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`)
        return response
          .writeHead(401)
          .end('{"error":{"message":"wrong key","code":"invalid_api_key"}}')
      if (request.url?.endsWith('/models'))
        return response.end('{"object":"list","data":[{"id":"my-model","object":"model"}]}')
      if (request.method !== 'POST')
        return response.writeHead(404).end('{"error":{"message":"no such address"}}')
      const refused = refuse({ method: 'POST', url: request.url ?? '', headers: {} }, body)
      if (refused) return response.writeHead(refused.status).end(JSON.stringify(refused.body))
      const received = JSON.parse(body) as ChatRequest
      requests.push(received)
      const { message, finish_reason, usage } = answer(model, received)
      const head = { id: 'chatcmpl-1', created: 0, model: 'my-model' }
      if (!received.stream) {
        response.end(
          JSON.stringify({
            ...head,
            object: 'chat.completion',
            choices: [{ index: 0, message, finish_reason }],
            usage,
          }),
        )
        return undefined
      }
      response.setHeader('content-type', 'text/event-stream')
      const send = (choice: object) =>
        response.write(
          `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`,
        )
      send({ delta: message, finish_reason: null })
      send({ delta: {}, finish_reason })
      response.end(
        `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\ndata: [DONE]\n\n`,
      )
      return undefined
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const { port: chosen } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${chosen}/v1`, requests, close: () => server.close() }
}
