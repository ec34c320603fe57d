import {
  type JsonObject,
  LlmError,
  type ResponseFormat,
  type ToolDefinition,
} from '@modelport/core'
import { defined, type Turn, withoutEmptyReplies, withVendor } from '@modelport/driver'
import { name, toWireMessage } from './messages.js'
import type { WireRequest } from './wire.js'

/** What `/api/chat` cannot express, and what to do instead. */
const unsupported: readonly (readonly [(options: Turn['options']) => boolean, string])[] = [
  [
    ({ toolChoice }) => toolChoice === 'required' || typeof toolChoice === 'object',
    'toolChoice "required" or by name; use "auto", or ask for the call in the prompt',
  ],
  [
    ({ parallelToolCalls }) => parallelToolCalls === false,
    'parallelToolCalls false; answer the calls one by one instead',
  ],
  [
    ({ reasoning = 'low' }) => ['minimal', 'xhigh', 'max'].includes(reasoning),
    'that level of reasoning; it has none, low, medium and high, and vendor.think takes any other',
  ],
  [
    ({ providerTools }) => Boolean(providerTools?.length),
    'providerTools; Ollama runs no tools itself',
  ],
]

/**
 * Body of `POST /api/chat`. `vendor` is merged into it: in `options` `num_ctx`, `min_p`, … and next
 * to it `keep_alive`, `truncate`, `think`.
 * @throws {LlmError} `unsupported` — the API cannot express an option or a part.
 * @see https://docs.ollama.com/api/chat (read 2026-11-21)
 */
export function toRequest(turn: Turn): WireRequest {
  const { options } = turn
  for (const [applies, what] of unsupported)
    if (applies(options)) throw new LlmError('unsupported', `${name}: ${what}`)
  const tools = options.toolChoice === 'none' ? [] : turn.tools
  const think =
    options.reasoning === 'none'
      ? false
      : (options.reasoning as 'low' | 'medium' | 'high' | undefined)
  const format = toFormat(options.responseFormat)
  const body: WireRequest = {
    model: turn.model,
    messages: withoutEmptyReplies(turn.messages).map((message, index) =>
      withVendor(toWireMessage(message, index), message.vendor, `vendor of messages[${index}]`),
    ),
    stream: turn.stream,
    ...(tools.length && { tools: tools.map(toWireTool) }),
    ...defined({ format, think }),
    ...(options.topLogprobs !== undefined && { logprobs: true, top_logprobs: options.topLogprobs }),
    options: toModelOptions(turn),
  }
  return withVendor(body, options.vendor)
}

function toModelOptions({ options }: Turn): JsonObject {
  const { maxTokens, temperature, topP, topK, seed, stop } = options
  return defined({ num_predict: maxTokens, temperature, top_p: topP, top_k: topK, seed, stop })
}

const toWireTool = ({
  name: tool,
  description,
  parameters,
  vendor,
}: ToolDefinition): NonNullable<WireRequest['tools']>[number] =>
  withVendor(
    {
      type: 'function',
      function: {
        name: tool,
        description,
        parameters: parameters ?? { type: 'object', properties: {} },
      },
    },
    vendor,
    `vendor of the tool "${tool}"`,
  )

const toFormat = (format: ResponseFormat | undefined): unknown =>
  format?.type === 'json-schema' ? format.schema : format?.type === 'json' ? 'json' : undefined
