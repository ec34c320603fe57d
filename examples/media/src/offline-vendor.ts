// A vendor on the loopback address that answers as the real ones do, as far as this example asks.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
const reply = (text: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'small',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
})
const lines = ['Oslo', 'Rome'].map((text, index) =>
  JSON.stringify({ custom_id: `request-${1 - index}`, response: { status_code: 200, body: reply(text) } }),
)
const batch = {
  id: 'batch_1',
  status: 'completed',
  output_file_id: 'file-out',
  request_counts: { total: 2, completed: 2 },
}

const answers: Readonly<Record<string, unknown>> = {
  '/v1/images/generations': { data: [{ b64_json: png }], usage: { input_tokens: 9, output_tokens: 196 } },
  '/v1/audio/transcriptions': { text: 'Good morning!', usage: { type: 'duration', seconds: 1 } },
  '/v1/rerank': {
    results: [
      { index: 0, relevance_score: 0.1 },
      { index: 1, relevance_score: 0.9 },
    ],
    usage: { prompt_tokens: 12 },
  },
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
      if (path === '/v1/audio/speech')
        response.setHeader('content-type', 'audio/mpeg').end(Buffer.from([0xff, 0xfb, 0x90, 0]))
      else if (path === '/v1/files/file-out/content') response.end(lines.join('\n'))
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[path] ?? { error: path }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, close: () => void server.close() }
}
