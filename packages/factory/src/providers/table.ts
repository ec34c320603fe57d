import { azureBaseUrl, azureHosts, vertexBaseUrl, vertexHosts, vertexSettings } from './cloud-hosts.js'
import { compatibleRows } from './compatible-rows.js'
import type { Environment } from '../env.js'
import type { ModelConfig } from '../config/model-config.js'
import { fromOllamaHost } from './ollama-host.js'
import type { ProviderRow } from './row.js'

const truthy = (value: string | undefined): boolean => /^(1|true|yes)$/i.test(value ?? '')

const wantsVertex = (config: ModelConfig, environment: Environment | undefined): string | undefined =>
  config.vertex || truthy(environment?.('GOOGLE_GENAI_USE_VERTEXAI')) ? 'vertex' : undefined

/** Location and project as Google's own SDK takes them. */
const fillInVertex = (config: ModelConfig, environment: Environment): ModelConfig => {
  const location = config.vertex?.location ?? environment('GOOGLE_CLOUD_LOCATION')
  const project = config.vertex?.project ?? environment('GOOGLE_CLOUD_PROJECT')
  return { ...config, vertex: { ...config.vertex, ...(location && { location }), ...(project && { project }) } }
}

/**
 * Every provider modelport knows, as of 2026-11-21. Data alone: asking it loads no provider package. Default addresses and models
 * are held to those of the packages by a test.
 */
export const providerRows: readonly ProviderRow[] = [
  {
    name: 'anthropic',
    aliases: ['claude'],
    package: '@modelport/provider-anthropic',
    baseUrl: 'https://api.anthropic.com',
    baseUrlEnv: ['ANTHROPIC_BASE_URL'],
    keyEnv: ['ANTHROPIC_API_KEY'],
    needsKey: true,
    model: 'claude-sonnet-4-6',
    keyUrl: 'https://console.anthropic.com/settings/keys',
  },
  {
    name: 'openai',
    package: '@modelport/provider-openai',
    baseUrl: 'https://api.openai.com/v1',
    keyOrigins: ['https://us.api.openai.com', 'https://eu.api.openai.com'],
    baseUrlEnv: ['OPENAI_BASE_URL'],
    keyEnv: ['OPENAI_API_KEY'],
    needsKey: true,
    model: 'gpt-5.4',
    embeddingModel: 'text-embedding-3-small',
    // The Responses API refuses fewer.
    fewestTokens: 16,
    keyUrl: 'https://platform.openai.com/api-keys',
    redirect: ({ azure }) => (azure ? 'azure-openai' : undefined),
  },
  {
    name: 'azure-openai',
    aliases: ['azure'],
    package: '@modelport/provider-openai',
    baseUrl: azureBaseUrl,
    baseUrlEnv: ['AZURE_OPENAI_ENDPOINT'],
    keyEnv: ['AZURE_OPENAI_API_KEY'],
    needsKey: true,
    fewestTokens: 16,
    keyUrl: 'https://ai.azure.com',
    furtherHosts: azureHosts,
    settings: ({ config, baseUrl }) => {
      const { endpoint: _, ...azure } = config.azure ?? {}
      return { baseUrl: undefined, azure: { ...azure, endpoint: baseUrl?.href } }
    },
  },
  {
    name: 'google',
    aliases: ['gemini'],
    package: '@modelport/provider-google',
    baseUrl: 'https://generativelanguage.googleapis.com',
    baseUrlEnv: ['GOOGLE_GEMINI_BASE_URL'],
    keyEnv: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_AI_API_KEY'],
    needsKey: true,
    model: 'gemini-3.1-pro',
    embeddingModel: 'gemini-embedding-001',
    keyUrl: 'https://aistudio.google.com/apikey',
    redirect: wantsVertex,
  },
  {
    name: 'vertex',
    aliases: ['vertexai', 'google-vertex'],
    package: '@modelport/provider-google',
    baseUrl: vertexBaseUrl,
    baseUrlEnv: ['GOOGLE_VERTEX_BASE_URL'],
    keyEnv: [],
    needsKey: false,
    model: 'gemini-3.1-pro',
    embeddingModel: 'gemini-embedding-001',
    keyUrl: 'https://console.cloud.google.com/iam-admin/serviceaccounts',
    fillIn: fillInVertex,
    furtherHosts: vertexHosts,
    settings: (model) => ({ vertex: vertexSettings(model) }),
  },
  {
    name: 'ollama',
    package: '@modelport/provider-ollama',
    baseUrl: 'http://localhost:11434',
    baseUrlEnv: ['OLLAMA_HOST'],
    // The key is one of Ollama's cloud.
    keyOrigins: ['https://ollama.com'],
    fromEnvironment: fromOllamaHost,
    keyEnv: ['OLLAMA_API_KEY'],
    needsKey: false,
    selfHosted: true,
    model: 'llama3.2',
    embeddingModel: 'nomic-embed-text',
    keyUrl: 'https://ollama.com/settings/keys',
  },
  ...compatibleRows,
  {
    name: 'llamacpp',
    aliases: ['llama-cpp', 'llama.cpp'],
    package: '@modelport/provider-llamacpp',
    offline: true,
    keyEnv: [],
    needsKey: false,
    // The model is a file.
    settings: ({ config }) => ({ modelPath: config.model, model: undefined }),
  },
  { name: 'mock', package: '@modelport/provider-mock', offline: true, keyEnv: [], needsKey: false, model: 'mock' },
]
