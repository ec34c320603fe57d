/** The APIs that are measured. */
export const apis = ['openai-chat', 'anthropic', 'openai-responses', 'gemini', 'ollama'] as const
export type Api = (typeof apis)[number]

interface Wire {
  readonly head: string
  delta(text: string, index: number): string
  readonly tail: string
}

const words = [
  'Lorem',
  ' ipsum',
  ' dolor',
  ' sit',
  ' amet,',
  ' consectetur',
  ' adipiscing',
  ' elit.',
  ' Größe',
  ' 🙂',
  '\n',
  ' naïve',
]
const sse = (value: object, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(value)}\n\n`
const typed = (value: { readonly type: string }): string => sse(value, value.type)

const chatChunk = (choice: object, extra: object = {}): string =>
  sse({
    id: 'chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG',
    object: 'chat.completion.chunk',
    created: 1741570283,
    model: 'bench',
    service_tier: 'default',
    system_fingerprint: 'fp_50cad350e4',
    choices: [choice],
    ...extra,
  })

const chatCall = (piece: object): string =>
  chatChunk({
    index: 0,
    delta: { tool_calls: [{ index: 0, ...piece }] },
    logprobs: null,
    finish_reason: null,
  })

const messageStart = typed({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 1 },
  },
} as { type: string })

const wires: Readonly<Record<Api, Wire>> = {
  'openai-chat': {
    head: chatChunk({
      index: 0,
      delta: { role: 'assistant', content: '', refusal: null },
      logprobs: null,
      finish_reason: null,
    }),
    delta: (content) =>
      chatChunk({ index: 0, delta: { content }, logprobs: null, finish_reason: null }),
    tail: `${chatChunk({ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' })}${sse({ id: 'x', object: 'chat.completion.chunk', model: 'bench', choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } })}data: [DONE]\n\n`,
  },
  anthropic: {
    head:
      messageStart +
      typed({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'text', text: '' },
      } as { type: string }),
    delta: (text) =>
      typed({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as {
        type: string
      }),
    tail:
      typed({ type: 'content_block_stop', index: 0 } as { type: string }) +
      typed({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 9 },
      } as { type: string }) +
      typed({ type: 'message_stop' }),
  },
  'openai-responses': {
    head:
      typed({
        type: 'response.created',
        sequence_number: 0,
        response: {
          id: 'resp_1',
          object: 'response',
          created_at: 1,
          status: 'in_progress',
          model: 'bench',
          output: [],
        },
      } as { type: string }) +
      typed({
        type: 'response.output_item.added',
        sequence_number: 1,
        output_index: 0,
        item: {
          id: 'msg_1',
          type: 'message',
          status: 'in_progress',
          role: 'assistant',
          content: [],
        },
      } as { type: string }) +
      typed({
        type: 'response.content_part.added',
        sequence_number: 2,
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: '', annotations: [] },
      } as { type: string }),
    delta: (delta, index) =>
      typed({
        type: 'response.output_text.delta',
        sequence_number: index + 3,
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta,
        logprobs: [],
      } as { type: string }),
    tail: typed({
      type: 'response.completed',
      sequence_number: 4,
      response: {
        id: 'resp_1',
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: 'bench',
        output: [],
        usage: { input_tokens: 9, output_tokens: 9, total_tokens: 18 },
      },
    } as { type: string }),
  },
  gemini: {
    head: '',
    delta: (text) =>
      sse({
        candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }],
        usageMetadata: {
          promptTokenCount: 9,
          candidatesTokenCount: 3,
          totalTokenCount: 12,
          promptTokensDetails: [{ modality: 'TEXT', tokenCount: 9 }],
        },
        modelVersion: 'bench',
        responseId: 'x',
      }),
    tail: sse({
      candidates: [
        { content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 },
      ],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
      modelVersion: 'bench',
    }),
  },
  ollama: {
    head: '',
    delta: (content) =>
      `${JSON.stringify({ model: 'bench', created_at: '2026-11-21T00:00:00.000000000Z', message: { role: 'assistant', content }, done: false })}\n`,
    tail: `${JSON.stringify({ model: 'bench', created_at: '2026-11-21T00:00:00.000000000Z', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', total_duration: 1, prompt_eval_count: 9, eval_count: 9 })}\n`,
  },
}

/** The pieces of one streamed reply with that many text deltas. */
export function streamPieces(api: Api, deltas: number): string[] {
  const wire = wires[api]
  const pieces = Array.from({ length: deltas }, (_, index) =>
    wire.delta(words[index % words.length] ?? '', index),
  )
  return [wire.head, ...pieces, wire.tail].filter(Boolean)
}

const filling = 'abcdefghijklmnop'

/** A tool call's arguments in pieces, one object with one string, no longer than so many bytes. */
function fragments(bytes: number): string[] {
  const open = '{"text":"'
  const close = '"}'
  const fillings = Math.max(0, Math.floor((bytes - open.length - close.length) / filling.length))
  return [open, ...Array.from({ length: fillings }, () => filling), close]
}

const toolWires: Readonly<Partial<Record<Api, Wire>>> = {
  'openai-chat': {
    head:
      wires['openai-chat'].head +
      chatCall({ id: 'call_1', type: 'function', function: { name: 'write', arguments: '' } }),
    delta: (text) => chatCall({ function: { arguments: text } }),
    tail: `${chatChunk({ index: 0, delta: {}, logprobs: null, finish_reason: 'tool_calls' })}data: [DONE]\n\n`,
  },
  anthropic: {
    head:
      messageStart +
      typed({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'write', input: {} },
      } as { type: string }),
    delta: (partial_json) =>
      typed({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      } as {
        type: string
      }),
    tail: wires.anthropic.tail.replace('end_turn', 'tool_use'),
  },
}

/** The APIs whose tool calls are measured. */
export const toolApis: readonly Api[] = ['anthropic', 'openai-chat']

/** The pieces of one streamed reply with one tool call of that many argument bytes. */
export function toolPieces(api: Api, bytes: number): string[] {
  const wire = toolWires[api]
  if (!wire) throw new Error(`no tool call in the form of ${api}`)
  return [wire.head, ...fragments(bytes).map((text, index) => wire.delta(text, index)), wire.tail]
}

/** Characters of a reply of {@link streamPieces}. */
export const textLength = (deltas: number): number =>
  Array.from({ length: deltas }, (_, index) => (words[index % words.length] ?? '').length).reduce(
    (sum, length) => sum + length,
    0,
  )

/** Characters of the arguments of {@link toolPieces}. */
export const argumentsLength = (bytes: number): number =>
  fragments(bytes).reduce((sum, text) => sum + text.length, 0)

/** The event of one delta, its text given when it is sent. */
export const deltaEvent = (api: Api, text: string): string => wires[api].delta(text, 0)

/** What stands before and after the deltas of a streamed reply. */
export const frameOf = (api: Api): Pick<Wire, 'head' | 'tail'> => wires[api]

/** The content type of the API's streams. */
export const contentType = (api: Api): string =>
  api === 'ollama' ? 'application/x-ndjson' : 'text/event-stream'
