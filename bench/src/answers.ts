import type { Api } from './bodies.ts'

const text = 'The quick brown fox jumps over the lazy dog.'

/** Characters of each short reply. */
export const answerLength: number = text.length

const bodies: Readonly<Record<Api, object>> = {
  'openai-chat': {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1741570283,
    model: 'bench',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
  },
  anthropic: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 9 },
  },
  'openai-responses': {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'bench',
    error: null,
    incomplete_details: null,
    output: [
      {
        id: 'msg_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 9,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 18,
    },
  },
  gemini: {
    candidates: [{ content: { parts: [{ text }], role: 'model' }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
    modelVersion: 'bench',
    responseId: 'x',
  },
  ollama: {
    model: 'bench',
    created_at: '2026-11-21T00:00:00.000000000Z',
    message: { role: 'assistant', content: text },
    done: true,
    done_reason: 'stop',
    total_duration: 1,
    prompt_eval_count: 9,
    eval_count: 9,
  },
}

/** A short reply that is not streamed. */
export const answerBody = (api: Api): string => JSON.stringify(bodies[api])
