import type { ModelConfig } from '@modelport/factory'
import type { EgressJob } from './egress-program.js'

const apiKey = 'key-of-tests-0123456789'

/** Every wire format, as its vendor is configured when nothing but the key is given. */
export const vendorConfigs: Readonly<Record<string, ModelConfig>> = {
  'openai chat': { provider: 'openai', apiKey, settings: { api: 'chat' } },
  'openai responses': { provider: 'openai', apiKey, settings: { api: 'responses' } },
  anthropic: { provider: 'anthropic', apiKey },
  google: { provider: 'google', apiKey },
  ollama: { provider: 'ollama' },
  'a preset': { provider: 'groq', apiKey },
  'openai-compatible': {
    provider: 'openai-compatible',
    model: 'm',
    baseUrl: 'https://models.example.com:8443/v1',
  },
}

/** What each of them contacts, written down here once more: the list is not its own witness. */
export const expectedHosts: Readonly<Record<string, string>> = {
  'openai chat': 'api.openai.com:443',
  'openai responses': 'api.openai.com:443',
  anthropic: 'api.anthropic.com:443',
  google: 'generativelanguage.googleapis.com:443',
  ollama: 'localhost:11434',
  'a preset': 'api.groq.com:443',
  'openai-compatible': 'models.example.com:8443',
}

/** The path that a base URL has before what the API adds. */
export const pathOf: Readonly<Record<string, string>> = {
  'openai chat': '/v1',
  'openai responses': '/v1',
  'a preset': '/v1',
  'openai-compatible': '/v1',
}

export const mockJob: EgressJob = {
  name: 'mock',
  config: {
    provider: 'mock',
    settings: {
      responses: [
        { toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
        'It is cold.',
      ],
    },
  },
}

/** Variables that would lead elsewhere whoever follows them: nothing listens there. */
export const hostileEnvironment: Readonly<Record<string, string>> = Object.fromEntries([
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].map(
    (name) => [name, 'http://127.0.0.1:64999'],
  ),
  ...[
    'ANTHROPIC_BASE_URL',
    'OPENAI_BASE_URL',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_VERTEX_BASE_URL',
    'GROQ_BASE_URL',
    'OPENAI_COMPATIBLE_BASE_URL',
    'LMSTUDIO_URL',
    'HF_ENDPOINT',
  ].map((name) => [name, 'http://127.0.0.1:64999/v1']),
  ['OLLAMA_HOST', '127.0.0.1:64999'],
  ['GOOGLE_GENAI_USE_VERTEXAI', 'true'],
  ['AZURE_OPENAI_ENDPOINT', 'http://127.0.0.1:64999'],
])
