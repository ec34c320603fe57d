import type { JsonObject } from '@modelport/core'
import type { Preset } from './preset.js'
import { high, low, medium, textAndImages } from './row-parts.js'

// Calls of this change nothing, and are marked so for bundlers.
/* @__NO_SIDE_EFFECTS__ */
const template = (level: string): JsonObject => ({
  chat_template_kwargs: { enable_thinking: true, reasoning_effort: level },
})
const untemplated = { chat_template_kwargs: { enable_thinking: false } }

/** Models load, and tool calls are held back until they are whole, without a byte on the wire. */
const patient = { headersMs: 600_000, idleMs: 600_000, semanticIdleMs: 600_000 }

/**
 * Refuses a tool forced by name and `json_object`, each by its own error message.
 * @see https://lmstudio.ai/docs/developer/openai-compat/chat-completions · https://github.com/lmstudio-ai/lmstudio-bug-tracker
 */
export const lmstudio: Preset = {
  name: 'lmstudio',
  baseUrl: 'http://localhost:1234/v1',
  baseUrlVariables: ['LMSTUDIO_URL'],
  keyVariables: ['LMSTUDIO_API_KEY'],
  needsKey: false,
  fallbackKey: 'lm-studio',
  model: 'local-model',
  nativeTools: false,
  quirks: {
    inputs: textAndImages,
    responseFormats: ['json-schema'],
    toolChoices: ['auto', 'none', 'required'],
    lacks: ['topLogprobs', 'parallelToolCalls'],
  },
  timeouts: patient,
  docs: 'https://lmstudio.ai/docs/developer/openai-compat/chat-completions',
}

/**
 * A `tool_choice` that is an object counts as `auto`; the switches of thinking are the chat template's.
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
export const llamacppServer: Preset = {
  name: 'llamacpp-server',
  baseUrl: 'http://localhost:8080',
  keyVariables: ['LLAMA_API_KEY'],
  needsKey: false,
  model: 'gemma4:e4b',
  nativeTools: false,
  quirks: {
    inputs: ['text', 'image', 'audio'],
    toolChoices: ['auto', 'none', 'required'],
    reasoning: { none: untemplated, low: template('low'), medium: template('medium'), high: template('high') },
    tokenizer: 'llama.cpp',
  },
  timeouts: patient,
  docs: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
}

/** Any other server; nothing is known of it. */
export const openaiCompatible: Preset = {
  name: 'openai-compatible',
  baseUrl: 'http://localhost:1234/v1',
  baseUrlVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
  keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
  needsKey: false,
  model: 'local-model',
  nativeTools: false,
  quirks: {},
  docs: 'https://platform.openai.com/docs/api-reference/chat/create',
}

/**
 * Tools need flags at the server's start (`--enable-auto-tool-choice --tool-call-parser …`).
 * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
 */
export const vllm: Preset = {
  name: 'vllm',
  baseUrl: 'http://localhost:8000/v1',
  keyVariables: ['VLLM_API_KEY'],
  needsKey: false,
  nativeTools: false,
  quirks: {
    inputs: ['text', 'image', 'audio'],
    reasoning: { none: untemplated, low, medium, high },
    tokenizer: 'vllm',
  },
  timeouts: patient,
  docs: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
}
