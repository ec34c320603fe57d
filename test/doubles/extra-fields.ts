import { fieldsOf, isFields, type SentRequest } from './sent-request.ts'

/**
 * Fields, or forms of an item, that are sent on purpose although the shape of the API does not have
 * them.
 */
export interface Extra {
  readonly api: string
  /** Servers that take them. Default: every server but those of the vendor whose shape it is. */
  readonly vendors?: readonly string[]
  /** Where they are, for example `messages[]`; '' for the body itself. */
  readonly at: string
  readonly fields?: string
  /** Types of items of the list, instead of fields. */
  readonly items?: string
  /** Only where a header has this value. */
  readonly header?: readonly [name: string, value: string]
  readonly reason: string
  readonly source: string
}

const ollamaTypes = 'https://github.com/ollama/ollama/blob/main/api/types.go'
const everywhere = ['openai', 'azure', 'anthropic', 'bedrock', 'foundry', 'google', 'vertex']

/** The table. */
export const extras: readonly Extra[] = [
  {
    api: 'openai-chat',
    at: '',
    fields: 'top_k min_p repetition_penalty ignore_eos cache_prompt grammar structured_outputs',
    reason: 'sampling of open models, as their servers take it',
    source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
  },
  {
    api: 'openai-chat',
    at: '',
    fields:
      'enable_thinking thinking_budget thinking chat_template_kwargs reasoning reasoning_format',
    reason: 'how much a model thinks: each vendor has a field of its own',
    source: 'https://openrouter.ai/docs/use-cases/reasoning-tokens',
  },
  {
    api: 'openai-chat',
    vendors: ['mistral'],
    at: '',
    fields: 'random_seed',
    reason: 'the name that Mistral has for `seed`',
    source: 'https://docs.mistral.ai/api/endpoint/chat',
  },
  {
    api: 'openai-chat',
    at: 'messages[]',
    fields: 'reasoning_content reasoning reasoning_details images prefix extra_content',
    reason: 'reasoning and pictures go back as they came',
    source: 'https://api-docs.deepseek.com/guides/thinking_mode.md',
  },
  {
    api: 'openai-chat',
    vendors: ['openrouter'],
    at: 'messages[].content[]',
    fields: 'cache_control',
    reason: 'marks of the cache, which OpenRouter passes on to models of Anthropic and Google',
    source: 'https://openrouter.ai/docs/features/prompt-caching',
  },
  {
    api: 'openai-chat',
    at: 'messages[].tool_calls[]',
    fields: 'extra_content',
    reason: 'signatures of Gemini, over Chat Completions',
    source: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
  },
  {
    api: 'openai-chat',
    at: 'messages[].content[]',
    items: 'thinking image_url video_url input_audio',
    reason:
      'thinking of Mistral, and media that a model of another vendor made, go back as they came',
    source: 'https://docs.mistral.ai/capabilities/reasoning',
  },
  {
    api: 'openai-chat',
    at: 'tools[]',
    items: 'web_search builtin_function browser_search code_interpreter',
    reason: "a vendor's own tools",
    source: 'https://docs.z.ai/guides/tools/web-search',
  },
  {
    api: 'anthropic-messages',
    vendors: everywhere,
    at: '',
    fields: 'temperature top_p top_k',
    header: ['anthropic-version', '2023-06-01'],
    reason:
      'the types are those of the version 2026-10-21, which has no sampling options; the first version has them',
    source: 'https://platform.claude.com/docs/en/api/versioning',
  },
  {
    api: 'anthropic-vertex',
    vendors: everywhere,
    at: '',
    fields: 'temperature top_p top_k',
    reason: 'the one version there is the first: see the row of a single message',
    source: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai',
  },
  {
    api: 'anthropic-batches',
    vendors: everywhere,
    at: 'requests[].params',
    fields: 'temperature top_p top_k',
    header: ['anthropic-version', '2023-06-01'],
    reason: 'see the row of a single message',
    source: 'https://platform.claude.com/docs/en/api/versioning',
  },
  {
    api: 'ollama-chat',
    at: '',
    fields: 'truncate shift',
    reason: 'in the source of the server, and not in its SDK',
    source: ollamaTypes,
  },
  {
    api: 'ollama-chat',
    at: 'messages[]',
    fields: 'tool_call_id',
    reason: 'in the source of the server, and not in its SDK',
    source: ollamaTypes,
  },
  {
    api: 'ollama-chat',
    at: 'messages[].tool_calls[]',
    fields: 'id',
    reason: 'in the source of the server, and not in its SDK',
    source: ollamaTypes,
  },
  {
    api: 'ollama-chat',
    at: 'tools[].function',
    fields: 'parameters',
    reason: 'the server takes any JSON Schema and keeps of it what templates use',
    source: ollamaTypes,
  },
]

/** Where a type of the shapes differs from its API. */
export interface Amendment {
  readonly shapes: string
  readonly definition: string
  readonly field: string
  /** The type demands the field and the API does not, or it does not have it. */
  readonly is: 'optional' | 'known'
  readonly reason: string
  readonly source: string
}

/** The table. */
export const amendments: readonly Amendment[] = [
  {
    shapes: 'openai',
    definition: 'ResponseInputImage',
    field: 'detail',
    is: 'optional',
    reason: 'it has a default, and the examples of the documentation leave it out',
    source: 'https://developers.openai.com/api/docs/guides/images-vision',
  },
  {
    shapes: 'openai',
    definition: 'ResponseCustomToolCall',
    field: 'status',
    is: 'known',
    reason: 'what the API gave goes back as it came, and it gives a state',
    source: 'https://developers.openai.com/api/reference/resources/responses/streaming-events',
  },
]

/** The vendors whose shape it is: they take no field that the shape does not have. */
const owners: Readonly<Record<string, readonly string[]>> = {
  'openai-chat': ['openai', 'azure'],
}

const applies = (
  { api, vendors, header }: Extra,
  name: string,
  vendor: string | undefined,
  headers: SentRequest['headers'],
): boolean =>
  api === name &&
  (vendor === undefined || (vendors ? vendors.includes(vendor) : !owners[api]?.includes(vendor))) &&
  (!header || headers[header[0]] === header[1])

/** The body of a request without what its server takes beyond the shape. */
export function withoutExtras(
  { body, headers }: SentRequest,
  api: string,
  vendor: string | undefined,
): unknown {
  let rest = body
  for (const row of extras)
    if (applies(row, api, vendor, headers))
      rest = without(rest, row.at ? row.at.split('.') : [], row)
  return rest
}

function without(value: unknown, [step, ...more]: readonly string[], row: Extra): unknown {
  if (step === undefined) {
    const fields = row.fields?.split(' ') ?? []
    if (!isFields(value) || !fields.some((field) => Object.hasOwn(value, field))) return value
    return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name)))
  }
  const name = step.replace('[]', '')
  const inner = fieldsOf(value)[name]
  if (inner === undefined || (step.endsWith('[]') && !Array.isArray(inner))) return value
  return {
    ...fieldsOf(value),
    [name]: Array.isArray(inner) ? withoutItems(inner, more, row) : without(inner, more, row),
  }
}

function withoutItems(
  list: readonly unknown[],
  more: readonly string[],
  row: Extra,
): readonly unknown[] {
  const items = more.length ? undefined : row.items?.split(' ')
  return items
    ? list.filter((item) => !items.includes(String(fieldsOf(item)['type'])))
    : list.map((item) => without(item, more, row))
}
