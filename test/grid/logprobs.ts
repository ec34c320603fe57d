// Adds probabilities of tokens to the replies of a server that was asked for them. The formats of
// the kit write none.
import type { WireRequest, WireResponse } from '@modelport/conformance'

const top = (token: string) => [
  { token, logprob: -0.1, bytes: null },
  { token: 'bad', logprob: -2.5, bytes: null },
]

type Fields = Record<string, unknown>
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One token of a text, as Chat Completions, Responses and Ollama have it. */
const tokens = (text: string): readonly object[] =>
  text ? [{ token: text, logprob: -0.1, bytes: null, top_logprobs: top(text) }] : []

/** How each API says it: a function that changes one record of a reply. */
const writers: Readonly<Record<string, (record: Fields) => void>> = {
  'openai-chat': ({ choices }) => {
    for (const choice of (choices ?? []) as Fields[]) {
      const { content } = (choice['delta'] ?? choice['message']) as { content?: string | null }
      if (content) choice['logprobs'] = { content: tokens(content), refusal: null }
    }
  },
  'openai-responses': (record) => {
    if (record['type'] === 'response.output_text.delta')
      record['logprobs'] = tokens(String(record['delta']))
    visit(record, (part) => {
      if (part['type'] === 'output_text') part['logprobs'] = tokens(String(part['text']))
    })
  },
  gemini: ({ candidates }) => {
    for (const candidate of (candidates ?? []) as Fields[]) {
      const { parts = [] } = (candidate['content'] ?? {}) as {
        parts?: { text?: string; thought?: boolean }[]
      }
      const text = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('')
      if (!text) continue
      const candidateOf = ({ token, logprob }: { token: string; logprob: number }) => ({
        token,
        tokenId: 1,
        logProbability: logprob,
      })
      candidate['logprobsResult'] = {
        topCandidates: [{ candidates: top(text).map(candidateOf) }],
        chosenCandidates: [candidateOf({ token: text, logprob: -0.1 })],
      }
    }
  },
  'ollama-chat': (record) => {
    const { content } = (record['message'] ?? {}) as { content?: string }
    if (content) record['logprobs'] = tokens(content)
  },
}

function visit(value: unknown, on: (found: Fields) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, on)
  else if (isObject(value)) {
    on(value)
    for (const item of Object.values(value)) visit(item, on)
  }
}

const wants = ({ body }: WireRequest): boolean => {
  const { logprobs, include, generationConfig } = body as Fields & {
    include?: string[]
    generationConfig?: Fields
  }
  return (
    logprobs === true ||
    include?.includes('message.output_text.logprobs') === true ||
    generationConfig?.['responseLogprobs'] === true
  )
}

/** The response with probabilities, if the request asks for them and the API has any. */
export function withLogprobs(
  api: string,
  request: WireRequest,
  response: WireResponse,
): WireResponse {
  const write = writers[api]
  if (!write || !wants(request)) return response
  const pieces = response.pieces.map((piece) =>
    piece.replace(
      /^(data: )?(\{[^]*\})(\s*)$/m,
      (whole, data: string | undefined, json: string, end: string) => {
        try {
          const record = JSON.parse(json) as Fields
          write(record)
          return `${data ?? ''}${JSON.stringify(record)}${end}`
        } catch {
          return whole
        }
      },
    ),
  )
  return { ...response, pieces }
}
