import { fieldsOf, type Problem, type SentRequest } from './sent-request.ts'

/** The dialects whose requests are checked. */
export type Dialect =
  | 'responses'
  | 'chat'
  | 'messages'
  | 'converse'
  | 'gemini'
  | 'ollama'
  | 'form'
  | 'other'

/** An API: which requests are for it, and the shape that they have. */
export interface Api {
  readonly name: string
  readonly dialect: Dialect
  readonly path: RegExp
  /** A header that only requests for this API have, where another has the same path. */
  readonly header?: readonly [name: string, value: RegExp]
  /** `file#definition` of the shape. */
  shape(request: SentRequest): string
}

const shape = (name: string) => (): string => name
/** A request that announces a feature that is not there for everybody yet may have its fields. */
const messagesShape = ({ headers }: SentRequest): string =>
  headers['anthropic-beta'] ? 'anthropic-beta#messages' : 'anthropic#messages'

/** Every API that is known; the first whose path fits is asked. */
export const apis: readonly Api[] = [
  { name: 'anthropic-messages', dialect: 'messages', path: /\/messages$/, shape: messagesShape },
  {
    name: 'anthropic-count-tokens',
    dialect: 'messages',
    path: /\/messages\/count_tokens$/,
    shape: shape('anthropic#countTokens'),
  },
  {
    name: 'anthropic-vertex-count-tokens',
    dialect: 'messages',
    path: /\/publishers\/anthropic\/models\/count-tokens:rawPredict$/,
    shape: shape('anthropic#countTokens'),
  },
  {
    name: 'anthropic-vertex',
    dialect: 'messages',
    path: /\/publishers\/anthropic\/models\/[^/:]+:(streamR|r)awPredict$/,
    shape: messagesShape,
  },
  {
    name: 'anthropic-batches',
    dialect: 'other',
    path: /\/messages\/batches$/,
    shape: shape('anthropic#batches'),
  },
  {
    name: 'bedrock-converse',
    dialect: 'converse',
    path: /\/model\/[^/]+\/converse$/,
    shape: shape('bedrock#converse'),
  },
  {
    name: 'bedrock-converse-stream',
    dialect: 'converse',
    path: /\/model\/[^/]+\/converse-stream$/,
    shape: shape('bedrock#converseStream'),
  },
  {
    name: 'openai-responses',
    dialect: 'responses',
    path: /\/responses$/,
    shape: shape('openai#responses'),
  },
  {
    name: 'openai-input-tokens',
    dialect: 'responses',
    path: /\/responses\/input_tokens$/,
    shape: shape('openai#inputTokens'),
  },
  {
    name: 'openai-chat',
    dialect: 'chat',
    path: /\/chat\/completions$/,
    shape: shape('openai#chat'),
  },
  {
    name: 'openai-embeddings',
    dialect: 'other',
    path: /\/embeddings$/,
    shape: shape('openai#embeddings'),
  },
  {
    name: 'anthropic-files',
    dialect: 'form',
    path: /\/v1\/files$/,
    header: ['anthropic-version', /./],
    shape: shape('uploads#anthropicFile'),
  },
  { name: 'openai-files', dialect: 'form', path: /\/v1\/files$/, shape: shape('uploads#file') },
  {
    name: 'openai-batches',
    dialect: 'other',
    path: /\/v1\/batches$/,
    shape: shape('openai#batches'),
  },
  {
    name: 'gemini',
    dialect: 'gemini',
    path: /:(generateContent|streamGenerateContent)$/,
    shape: shape('gemini#generateContent'),
  },
  { name: 'ollama-chat', dialect: 'ollama', path: /\/api\/chat$/, shape: shape('ollama#chat') },
  { name: 'ollama-embed', dialect: 'other', path: /\/api\/embed$/, shape: shape('ollama#embed') },
  {
    name: 'gemini-count-tokens',
    dialect: 'gemini',
    path: /:countTokens$/,
    shape: shape('gemini#countTokens'),
  },
  {
    name: 'gemini-embeddings',
    dialect: 'other',
    path: /:batchEmbedContents$/,
    shape: shape('gemini#batchEmbedContents'),
  },
  {
    name: 'gemini-batches',
    dialect: 'other',
    path: /:batchGenerateContent$/,
    shape: shape('gemini#batchGenerateContent'),
  },
  {
    name: 'gemini-files',
    dialect: 'other',
    path: /\/upload\/v1beta\/files$/,
    header: ['x-goog-upload-command', /^start$/],
    shape: shape('uploads#geminiFile'),
  },
  { name: 'tokenize', dialect: 'other', path: /\/tokenize$/, shape: shape('servers#tokenize') },
  {
    name: 'apply-template',
    dialect: 'other',
    path: /\/apply-template$/,
    shape: shape('servers#applyTemplate'),
  },
]

/** Path of an address. */
export const pathOf = (url: string): string => new URL(url, 'http://127.0.0.1').pathname

/** The API that a request is for. */
export const apiOf = ({ method, url, headers }: SentRequest): Api | undefined =>
  method === 'POST'
    ? apis.find(
        ({ path, header: [name, value] = ['', /^/] }) =>
          path.test(pathOf(url)) && value.test(headers[name] ?? ''),
      )
    : undefined

/**
 * Whose server an address is: the names that matter to rules, `undefined` for one that could be
 * anybody's.
 */
export function vendorOf({ url }: SentRequest): string | undefined {
  const { hostname } = new URL(url, 'http://127.0.0.1')
  return hosts.find(([host]) => hostname === host || hostname.endsWith(`.${host}`))?.[1]
}

const hosts: readonly (readonly [string, string])[] = [
  ['api.openai.com', 'openai'],
  ['openai.azure.com', 'azure'],
  ['api.anthropic.com', 'anthropic'],
  ['amazonaws.com', 'bedrock'],
  ['api.aws', 'bedrock'],
  ['services.ai.azure.com', 'foundry'],
  ['generativelanguage.googleapis.com', 'google'],
  ['aiplatform.googleapis.com', 'vertex'],
  ['api.mistral.ai', 'mistral'],
  ['api.groq.com', 'groq'],
  ['api.deepseek.com', 'deepseek'],
  ['api.x.ai', 'grok'],
  ['openrouter.ai', 'openrouter'],
  ['api.together.xyz', 'together'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.moonshot.ai', 'moonshot'],
  ['api.z.ai', 'zai'],
]

/** The refusal, as the vendor words it. @see the errors in `packages/*\/test` that were recorded */
export function refusalOf(
  { dialect, name }: Api,
  { path, message }: Problem,
): { status: number; body: object } {
  const text = path ? `${path}: ${message}` : message
  if (dialect === 'messages' || name.startsWith('anthropic'))
    return {
      status: 400,
      body: {
        type: 'error',
        error: { type: 'invalid_request_error', message: text },
        request_id: 'req_double',
      },
    }
  if (dialect === 'converse') return { status: 400, body: { message: text } }
  if (name.startsWith('gemini'))
    return {
      status: 400,
      body: { error: { code: 400, message: text, status: 'INVALID_ARGUMENT' } },
    }
  if (name.startsWith('ollama')) return { status: 400, body: { error: text } }
  return {
    status: 400,
    body: {
      error: { message: text, type: 'invalid_request_error', param: path || null, code: null },
    },
  }
}

/** The model of a request. */
export function modelOf({ url, body }: SentRequest): string {
  const { model } = fieldsOf(body)
  return typeof model === 'string'
    ? model
    : decodeURIComponent(
        /\/models\/([^:/]+):|\/model\/([^/]+)\//.exec(pathOf(url))?.slice(1).join('') ?? '',
      )
}
