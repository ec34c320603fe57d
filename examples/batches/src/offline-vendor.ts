// A vendor on the loopback address that answers as the real ones do, as far as this example asks.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const reply = (text: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'small',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
})
const lines = ['Oslo', 'Rome'].map((text, index) =>
  JSON.stringify({
    custom_id: `request-${1 - index}`,
    response: { status_code: 200, body: reply(text) },
  }),
)
const batch = {
  id: 'batch_1',
  status: 'completed',
  output_file_id: 'file-out',
  request_counts: { total: 2, completed: 2 },
}

const answers: Readonly<Record<string, unknown>> = {
  '/v1/files': { id: 'file-in' },
  '/v1/batches': { ...batch, status: 'validating' },
  '/v1/batches/batch_1': batch,
}

/** A vendor that is running. */
export interface OfflineVendor {
  /** Base URL of its API. */
  readonly url: string
  close(): void
}

/** Starts it on a free port. */
export async function startOfflineVendor(): Promise<OfflineVendor> {
  const server = createServer((request: IncomingMessage, response) => {
    request.resume().on('end', () => {
      const path = request.url ?? ''
      if (path === '/v1/files/file-out/content') response.end(lines.join('\n'))
      else
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify(answers[path] ?? { error: path }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, close: () => void server.close() }
}
