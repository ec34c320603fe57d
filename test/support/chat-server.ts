import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface ChatRequest {
  readonly stream?: boolean
  readonly tools?: unknown[]
  readonly messages: readonly { readonly role: string }[]
}

const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }

/** Calls the first tool when there is one and no result yet, otherwise answers with text. */
function answer({ tools, messages }: ChatRequest): { message: object; finish_reason: string } {
  const asksTool = tools !== undefined && messages.every(({ role }) => role !== 'tool')
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'get_weather', arguments: '{"city":"Rome"}' },
  }
  return asksTool
    ? { message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }
    : { message: { role: 'assistant', content: 'Because of the light.' }, finish_reason: 'stop' }
}

/**
 * The smallest server with `/chat/completions`, written without this repository's own code:
 * what the README shows must work with a server that knows nothing of modelport.
 */
export async function startChatServer(): Promise<{ baseUrl: string; requests: ChatRequest[]; close: () => void }> {
  const requests: ChatRequest[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const received = JSON.parse(body) as ChatRequest
      requests.push(received)
      const { message, finish_reason } = answer(received)
      const head = { id: 'chatcmpl-1', created: 0, model: 'my-model' }
      if (!received.stream) {
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({
            ...head,
            object: 'chat.completion',
            choices: [{ index: 0, message, finish_reason }],
            usage,
          }),
        )
        return
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
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, requests, close: () => server.close() }
}
