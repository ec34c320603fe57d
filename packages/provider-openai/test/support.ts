import type { Fetch } from '@modelport/driver'

/** A request as it left the SDK. */
export interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- JSON
}

/** A `fetch` that keeps what it is given and answers with JSON bodies, the last one repeated. */
export function recordingFetch(...answers: readonly (object | (() => Response))[]): {
  readonly fetch: Fetch
  readonly sent: Sent[]
} {
  const sent: Sent[] = []
  const fetch: Fetch = async (input, init = {}) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)]
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined
    sent.push({
      url: input instanceof Request ? input.url : String(input),
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      body,
    })
    return typeof answer === 'function' ? (answer as () => Response)() : Response.json(answer)
  }
  return { fetch, sent }
}

/** A finished response with these items. */
export const response = (...output: readonly object[]): object => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5.4-2026-03-05',
  output,
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
})

/** A message item. */
export const message = (text: string, more: object = {}): object => ({
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
  ...more,
})

/** A finished Chat Completions answer. */
export const completion = (text: string): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-4.1-2025-04-14',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: text, refusal: null },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
})

/** Server-sent events, one for each object. */
export const sse = (...events: readonly { readonly type?: string }[]): string =>
  events
    .map(
      (event) => `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
    )
    .join('')

/** A response that streams these events. */
export const streamed = (...events: readonly { readonly type?: string }[]): Response =>
  new Response(sse(...events), { headers: { 'content-type': 'text/event-stream' } })
