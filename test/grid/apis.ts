// The columns of the grid: every API, as the servers that speak it behave. What a server refuses is
// in `refuse`, in the words of that server where they are known.

import type { WireFormat, WireRequest } from '@modelport/conformance'
import { openaiChat } from '@modelport/conformance'
import type { Provider } from '@modelport/core'
import type { ModelConfig } from '@modelport/factory'
import { createPreset } from '@modelport/provider-openai-compatible'
import {
  anthropicMessages,
  bedrockConverse,
  gemini,
  ollamaChat,
  openaiResponses,
} from '@modelport/test-formats'
import { apiNamed } from '../providers.js'
import type { Question } from './model.js'

/** Where a cell's server is, and the key; undefined without one. */
export interface Connection {
  readonly url: string
  readonly apiKey: string | undefined
}

/** Body of a request. */
export type Body = Readonly<Record<string, any>> // oxlint-disable-line typescript/no-explicit-any -- JSON

/** Status and message of a refusal. */
export type Refusal = readonly [status: number, message: string]

/** One column. */
export interface Api {
  /** Head of the column. */
  readonly head: string
  readonly title: string
  readonly format: WireFormat
  /** True for vendors: without their key they refuse. A server of one's own has none. */
  readonly needsKey: boolean
  /** True for a model that thinks; a function says whether a request lets it. */
  readonly thinks?: boolean | ((body: Body) => boolean)
  /** The same as a configuration names it. */
  readonly config: Omit<ModelConfig, 'fallback'> & { readonly model: string }
  /** What its base URL has after the address of the server. Default: nothing. */
  readonly path?: string
  /** Fields of a request that this server has beyond the API. */
  readonly own?: readonly string[]
  create(connection: Connection): Provider
  /** What this server does not take. */
  refuse?(body: Body, request: WireRequest): Refusal | undefined
}

const first = (...found: readonly (Refusal | false | undefined)[]): Refusal | undefined =>
  found.find((one): one is Refusal => Boolean(one))

/** @see https://github.com/earendil-works/pi/issues/6265 (read 2026-11-24) */
const fewTokens = ({ max_output_tokens: most }: Body): Refusal | false =>
  most < 16 && [
    400,
    `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`,
  ]
/** Models of OpenAI take both once they are told not to think. */
const isTold = ({ reasoning, reasoning_effort: effort }: Body): boolean =>
  (reasoning?.effort ?? effort) === 'none'
const logprobs = ({ logprobs: asked, include = [] }: Body): Refusal | false =>
  (Boolean(asked) || include.includes('message.output_text.logprobs')) && [
    400,
    'logprobs are not supported with reasoning models.',
  ]
const unsupported = (body: Body, ...names: readonly string[]): Refusal | undefined =>
  first(
    ...names.map(
      (name): Refusal | false =>
        body[name] !== undefined && [
          400,
          `Unsupported parameter: '${name}' is not supported with this model.`,
        ],
    ),
  )
/**
 * Levels of `gpt-5.4`.
 * @see https://docs.rs/crate/meerkat-core/0.6.25/source/src/model_profile/capabilities/openai.rs
 * (read 2026-11-24)
 */
const effort = ({ reasoning, reasoning_effort: given }: Body): Refusal | undefined =>
  ['minimal', 'max'].includes(reasoning?.effort ?? given)
    ? [
        400,
        `Unsupported value: '${reasoning?.effort ?? given}'. Supported values are: 'none', 'low', 'medium', 'high', and 'xhigh'.`,
      ]
    : undefined
/** @see https://github.com/vercel/ai/issues/10932 (read 2026-11-24) */
const whileThinking = (body: Body): Refusal | undefined =>
  isTold(body)
    ? undefined
    : first(effort(body), unsupported(body, 'temperature', 'top_p'), logprobs(body))

/**
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs (read 2026-11-21)
 */
function openSchema({ output_config: config }: Body): Refusal | false {
  const isOpen = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (((value as Body)['type'] === 'object' && (value as Body)['additionalProperties'] !== false) ||
      Object.values(value).some(isOpen))
  return (
    isOpen(config?.format?.schema) && [
      400,
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ]
  )
}
const sampled = (body: Body): Refusal | undefined =>
  first(
    ...['temperature', 'top_p', 'top_k'].map(
      (name): Refusal | false => name in body && [400, `\`${name}\` is deprecated for this model.`],
    ),
  )

/** A model of Claude wants the same of a schema at Bedrock, where it is JSON in a text. */
const unclosedSchema = ({ outputConfig }: Body): Refusal | false =>
  outputConfig !== undefined &&
  openSchema({
    output_config: {
      format: { schema: JSON.parse(outputConfig.textFormat.structure.jsonSchema.schema) },
    },
  })

/** Where `strict` holds a model to a schema, the schema must be closed and complete. */
function strictSchema(format: Body | undefined): Refusal | false {
  const { strict, schema } = (format ?? {}) as { strict?: boolean; schema?: Body }
  if (!strict || !schema) return false
  const isWrong = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (((value as Body)['type'] === 'object' &&
      ((value as Body)['additionalProperties'] !== false ||
        Object.keys((value as Body)['properties'] ?? {}).some(
          (name) => !(value as Body)['required']?.includes(name),
        ))) ||
      Object.values(value).some(isWrong))
  return (
    isWrong(schema) && [
      400,
      "Invalid schema for response_format 'answer': 'additionalProperties' is required to be supplied and to be false.",
    ]
  )
}

/**
 * A vendor is asked at its own address, for which its package knows most; the request arrives at
 * the server of the cell.
 */
const toVendor = ({ url, apiKey }: Connection) => ({
  fetch: (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    fetch(
      String(input instanceof Request ? input.url : input).replace(/^https:\/\/[^/]+/, url),
      init,
    ),
  ...(apiKey !== undefined && { apiKey }),
})
const toOwn = ({ url, apiKey }: Connection, path = '') => ({
  baseUrl: url + path,
  ...(apiKey !== undefined && { apiKey }),
})

/** A provider of the row of its package, with the key of the cell or none. */
const atVendor = (name: string, connection: Connection, model: string): Provider =>
  apiNamed(name).create({ ...toVendor(connection), apiKey: connection.apiKey, model })
const atOwn = (name: string, connection: Connection, model: string, path = ''): Provider =>
  apiNamed(name).create({ ...toOwn(connection, path), apiKey: connection.apiKey, model })

const openai = (connection: Connection, model: string, api: 'responses' | 'chat'): Provider =>
  atVendor(`openai ${api}`, connection, model)
const compatible = (connection: Connection): Provider =>
  atOwn('openai-compatible', connection, 'my-model', '/v1')
const llamaServer = (connection: Connection): Provider =>
  createPreset('llamacpp-server', { ...toOwn(connection), model: 'local' })

const claude = 'claude-haiku-4-5-20251001'
const vendor = { needsKey: true } as const
const own = { needsKey: false } as const
const thinking = { thinks: true } as const
const unlessTold = { thinks: (body: Body): boolean => !isTold(body) } as const

/** The columns. */
export const apis: readonly Api[] = [
  {
    ...vendor,
    head: 'M',
    title: `Anthropic's Messages API, \`${claude}\``,
    format: anthropicMessages,
    create: (connection) => atVendor('anthropic', connection, claude),
    config: { provider: 'anthropic', model: claude },
    refuse: (body) => first(openSchema(body)),
  },
  {
    ...vendor,
    ...thinking,
    head: 'M*',
    title: '`claude-opus-5-5`, which always thinks: no `temperature`, no forced call',
    format: anthropicMessages,
    create: (connection) => atVendor('anthropic', connection, 'claude-opus-5-5'),
    config: { provider: 'anthropic', model: 'claude-opus-5-5' },
    refuse: (body) =>
      first(
        openSchema(body),
        sampled(body),
        ['any', 'tool'].includes(body['tool_choice']?.type) && [
          400,
          'Thinking may not be enabled when tool_choice forces tool use.',
        ],
      ),
  },
  {
    ...vendor,
    head: 'R',
    title: "OpenAI's Responses API, `gpt-4.1`: at least 16 tokens",
    format: openaiResponses,
    create: (connection) => openai(connection, 'gpt-4.1', 'responses'),
    config: { provider: 'openai', model: 'gpt-4.1', settings: { api: 'responses' } },
    refuse: (body) =>
      first(fewTokens(body), unsupported(body, 'reasoning'), strictSchema(body['text']?.format)),
  },
  {
    ...vendor,
    ...unlessTold,
    head: 'R*',
    title: '`gpt-5.4`: no `temperature`, no `logprobs` while it thinks',
    format: openaiResponses,
    create: (connection) => openai(connection, 'gpt-5.4', 'responses'),
    config: { provider: 'openai', model: 'gpt-5.4', settings: { api: 'responses' } },
    refuse: (body) =>
      first(fewTokens(body), whileThinking(body), strictSchema(body['text']?.format)),
  },
  {
    ...vendor,
    head: 'C',
    title: "OpenAI's Chat Completions, `gpt-4.1`",
    format: openaiChat,
    create: (connection) => openai(connection, 'gpt-4.1', 'chat'),
    config: { provider: 'openai', model: 'gpt-4.1', settings: { api: 'chat' } },
    refuse: (body) =>
      first(
        unsupported(body, 'reasoning_effort'),
        strictSchema(body['response_format']?.json_schema),
      ),
  },
  {
    ...vendor,
    ...unlessTold,
    head: 'C*',
    title: '`gpt-5.4`: no `temperature`, no `logprobs` while it thinks; no `stop`, no `max_tokens`',
    format: openaiChat,
    create: (connection) => openai(connection, 'gpt-5.4', 'chat'),
    config: { provider: 'openai', model: 'gpt-5.4', settings: { api: 'chat' } },
    refuse: (body) =>
      first(
        whileThinking(body),
        unsupported(body, 'stop'),
        body['max_tokens'] !== undefined && [
          400,
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        ],
        strictSchema(body['response_format']?.json_schema),
      ),
  },
  {
    ...vendor,
    head: 'B',
    title: `Amazon Bedrock's Converse, \`us.anthropic.${claude}-v1:0\``,
    format: bedrockConverse,
    create: (connection) => atVendor('bedrock', connection, `us.anthropic.${claude}-v1:0`),
    config: { ...apiNamed('bedrock').config, model: `us.anthropic.${claude}-v1:0` },
    refuse: (body) => first(unclosedSchema(body)),
  },
  {
    ...vendor,
    ...thinking,
    head: 'B*',
    title: '`us.anthropic.claude-opus-5-5`, which always thinks: no `temperature`, no forced call',
    format: bedrockConverse,
    create: (connection) => atVendor('bedrock', connection, 'us.anthropic.claude-opus-5-5'),
    config: { ...apiNamed('bedrock').config, model: 'us.anthropic.claude-opus-5-5' },
    refuse: (body) =>
      first(
        unclosedSchema(body),
        sampled(body['inferenceConfig'] ?? {}),
        ['any', 'tool'].some((kind) => kind in (body['toolConfig']?.toolChoice ?? {})) && [
          400,
          'Thinking may not be enabled when tool_choice forces tool use.',
        ],
      ),
  },
  {
    ...vendor,
    head: 'B-',
    title: '`amazon.nova-lite-v1:0`, which refuses a schema',
    format: bedrockConverse,
    create: (connection) => atVendor('bedrock', connection, 'amazon.nova-lite-v1:0'),
    config: { ...apiNamed('bedrock').config, model: 'amazon.nova-lite-v1:0' },
    refuse: (body) =>
      first(
        'outputConfig' in body && [
          400,
          "This model doesn't support the outputConfig field. Remove outputConfig and try again.",
        ],
      ),
  },
  {
    ...vendor,
    head: 'G',
    title: 'the Gemini API, `gemini-3-flash-preview`',
    format: gemini,
    create: (connection) => atVendor('google', connection, 'gemini-3-flash-preview'),
    config: { provider: 'google', model: 'gemini-3-flash-preview' },
  },
  {
    ...vendor,
    ...thinking,
    head: 'G*',
    title: '`gemini-3.1-pro`, which always thinks: no probabilities',
    format: gemini,
    create: (connection) => atVendor('google', connection, 'gemini-3.1-pro'),
    config: { provider: 'google', model: 'gemini-3.1-pro' },
    refuse: ({ generationConfig }) =>
      first(
        generationConfig?.responseLogprobs && [
          400,
          'Logprobs is not enabled for models/gemini-3.1-pro',
        ],
      ),
  },
  {
    ...own,
    head: 'O',
    title: "Ollama's own API, `llama3.2`, which does not think",
    format: ollamaChat,
    create: (connection) => atOwn('ollama', connection, 'llama3.2'),
    config: { provider: 'ollama', model: 'llama3.2' },
    refuse: (body) => first(body['think'] && [400, '"llama3.2" does not support thinking']),
  },
  {
    ...own,
    thinks: ({ think }) => think !== false,
    head: 'O*',
    title: '`qwen3`, which thinks unless it is told not to',
    format: ollamaChat,
    create: (connection) => atOwn('ollama', connection, 'qwen3'),
    config: { provider: 'ollama', model: 'qwen3' },
  },
  {
    ...own,
    head: 'O-',
    title: '`gemma:2b`, whose template has no tools',
    format: ollamaChat,
    create: (connection) => atOwn('ollama', connection, 'gemma:2b'),
    config: { provider: 'ollama', model: 'gemma:2b' },
    refuse: (body) =>
      first(
        body['think'] && [400, '"gemma:2b" does not support thinking'],
        body['tools'] && [400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
      ),
  },
  {
    ...own,
    head: 'K',
    title: 'a compatible server with `response_format`',
    format: openaiChat,
    create: compatible,
    config: { provider: 'openai-compatible', model: 'my-model' },
    path: '/v1',
  },
  {
    ...own,
    head: 'K-',
    title: 'a compatible server that refuses `response_format`',
    format: openaiChat,
    create: compatible,
    config: { provider: 'openai-compatible', model: 'my-model' },
    path: '/v1',
    refuse: (body) =>
      first(
        'response_format' in body && [
          400,
          'Unrecognized request argument supplied: response_format',
        ],
      ),
  },
  {
    ...own,
    ...thinking,
    head: 'K*',
    title: 'a compatible server whose model thinks and refuses `temperature` and `logprobs`',
    format: openaiChat,
    create: compatible,
    config: { provider: 'openai-compatible', model: 'my-model' },
    path: '/v1',
    refuse: (body) => first(unsupported(body, 'temperature'), logprobs(body)),
  },
  {
    ...own,
    head: 'L',
    title: "llama.cpp's server with `--jinja`",
    format: openaiChat,
    own: ['grammar'],
    create: llamaServer,
    config: { provider: 'llamacpp-server', model: 'local' },
  },
  {
    ...own,
    thinks: ({ chat_template_kwargs: template }) => template?.enable_thinking !== false,
    head: 'L*',
    title: "llama.cpp's server with a model that thinks unless it is told not to",
    format: openaiChat,
    own: ['grammar'],
    create: llamaServer,
    config: { provider: 'llamacpp-server', model: 'local' },
  },
  {
    ...own,
    head: 'L-',
    title: "llama.cpp's server with `--no-jinja`, which has no tools",
    format: openaiChat,
    own: ['grammar'],
    create: llamaServer,
    config: { provider: 'llamacpp-server', model: 'local' },
    refuse: (body) => first(body['tools'] && [500, 'tools param requires --jinja flag']),
  },
]

/** The vendors' addresses are theirs; any other server has the address of its cell. */
export const endpointOf = ({ needsKey, path }: Api, connection: Connection) =>
  needsKey ? toVendor(connection) : toOwn(connection, path)

/** What the servers of an API hold a reply to. */
export function heldBy(
  { format: { api } }: Api,
  body: Body,
): NonNullable<Question['held']> | undefined {
  if (typeof body['grammar'] === 'string') return { grammar: body['grammar'] }
  const found: unknown =
    api === 'anthropic-messages'
      ? body['output_config']?.format?.schema
      : api === 'bedrock-converse'
        ? (JSON.parse(body['outputConfig']?.textFormat.structure.jsonSchema.schema ?? 'null') ??
          undefined)
        : api === 'gemini'
          ? (body['generationConfig']?.responseJsonSchema ??
            (body['generationConfig']?.responseMimeType === 'application/json' ? {} : undefined))
          : api === 'ollama-chat'
            ? body['format'] === 'json'
              ? {}
              : body['format']
            : fromOpenai(body['response_format'] ?? body['text']?.format)
  return found === undefined ? undefined : { schema: found }
}

const fromOpenai = (format: Body | undefined): unknown =>
  format?.['type'] === 'json_object'
    ? {}
    : format?.['type'] === 'json_schema'
      ? (format['json_schema']?.schema ?? format['schema'])
      : undefined
