import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDocModel, type DocRequest } from './doc-model.js'

interface ChatRequest {
  readonly stream?: boolean
  readonly tools?: readonly { readonly function: DocRequest['tools'][number] }[]
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
  readonly response_format?: { readonly json_schema?: { readonly schema?: unknown } }
}

const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }

/** The message of the model, as Chat Completions has it. */
function answer(
  model: ReturnType<typeof createDocModel>,
  request: ChatRequest,
): { message: object; finish_reason: string } {
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
  if ('text' in reply) return { message: { role: 'assistant', content: reply.text }, finish_reason: 'stop' }
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: reply.tool, arguments: JSON.stringify(reply.args) },
  }
  return { message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }
}

/**
 * The smallest server with `/chat/completions`, written without this repository's own code:
 * what the README shows must work with a server that knows nothing of modelport.
 */
export async function startChatServer(
  model = createDocModel(),
): Promise<{ baseUrl: string; requests: ChatRequest[]; close: () => void }> {
  const requests: ChatRequest[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const received = JSON.parse(body) as ChatRequest
      requests.push(received)
      const { message, finish_reason } = answer(model, received)
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
