// The APIs that suites walk: each with the package that speaks it, a model, the least settings, and
// its wire. A provider with an API of its own is one row here; what its row of the catalog says is
// read there.
import { type Vendor, vendors } from '@modelport/catalog'
import { openaiChat, type WireFormat } from '@modelport/conformance'
import type { Provider } from '@modelport/core'
import type { CommonConfig } from '@modelport/driver'
import type { ModelConfig } from '@modelport/factory'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import {
  anthropicMessages,
  bedrockConverse,
  gemini,
  ollamaChat,
  openaiResponses,
} from '@modelport/test-formats'

/** What a suite may set of every provider. */
export type SuiteSettings = Partial<CommonConfig> & { readonly apiKey?: string | undefined }

/** One API, as suites ask it. */
export interface TestedApi {
  /** Name of the row in a report: the provider's, or the API's where a provider has two. */
  readonly name: string
  /** Name of the provider in its errors. */
  readonly provider: string
  readonly format: WireFormat
  /** What the catalog says of the provider. */
  readonly vendor: Vendor
  /** The least that a configuration says to mean it, with the model. */
  readonly config: ModelConfig
  /** Name of the function that makes it. */
  readonly creator: string
  /** Models whose abilities differ: one that thinks, and one that does not. */
  readonly models: readonly string[]
  /** The model whose abilities its page shows. */
  readonly shownModel: string
  /** The host that `config` leads to, where a cloud says it and the catalog does not. */
  readonly cloudHost?: string
  /** Makes a provider of it, at the address of a server if one is given. */
  create(settings: SuiteSettings, url?: string): Provider
}

type Creator<Settings> = (settings: Settings) => Provider

/** What the catalog says of a provider. */
export function vendorNamed(name: string): Vendor {
  const vendor = vendors.find((one) => one.name === name)
  if (vendor) return vendor
  throw new Error(`the catalog has no vendor ${name}`)
}

/**
 * A row: settings that a suite does not say are those of the row. `path` is what the base URL has
 * after the address of a server.
 */
const row = <Settings extends CommonConfig>(
  name: string,
  format: WireFormat,
  createProvider: Creator<Settings>,
  settings: Settings & {
    readonly provider?: string
    readonly path?: string
    readonly api?: string
    readonly models?: readonly string[]
    readonly shownModel?: string
    readonly cloudHost?: string
  },
): TestedApi => {
  const { provider = name, path = '', models, shownModel, cloudHost, ...own } = settings
  const vendor = vendorNamed(provider)
  const { model, api } = own
  return {
    name,
    provider,
    format,
    vendor,
    config: { provider, model, ...vendor.minimal, ...(api !== undefined && { settings: { api } }) },
    creator: createProvider.name,
    models: models ?? [model],
    shownModel: shownModel ?? model,
    ...(cloudHost !== undefined && { cloudHost }),
    create: (more, url) =>
      createProvider({
        ...(own as Settings & typeof own),
        ...(url !== undefined && { baseUrl: `${url}${path}` }),
        ...more,
      }),
  }
}

/** The key of every provider made here, unless a suite has its own. */
export const apiKey = 'sk-Canary0123456789-Zx81-abcdefghijklmnop'

/** Every API that is asked over a network. */
export const testedApis: readonly TestedApi[] = [
  row('anthropic', anthropicMessages, createAnthropic, {
    model: 'claude-sonnet-4-5',
    models: ['claude-opus-5-5', 'claude-3-5-sonnet-20241022'],
    shownModel: 'claude-haiku-4-5-20251001',
    apiKey,
  }),
  row('openai responses', openaiResponses, createOpenAI, {
    provider: 'openai',
    path: '/v1',
    model: 'gpt-5.4',
    models: ['gpt-5.4', 'gpt-4.1'],
    api: 'responses',
    apiKey,
  }),
  row('openai chat', openaiChat, createOpenAI, {
    provider: 'openai',
    path: '/v1',
    model: 'gpt-4.1',
    models: ['gpt-5.4', 'gpt-4.1'],
    api: 'chat',
    apiKey,
  }),
  row('google', gemini, createGoogle, {
    model: 'gemini-3-flash-preview',
    models: ['gemini-3.8-flash', 'gemini-2.0-flash'],
    shownModel: 'gemini-3.8-flash',
    apiKey,
  }),
  row('bedrock', bedrockConverse, createBedrock, {
    model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    models: ['us.anthropic.claude-opus-5', 'meta.llama3-3-70b-instruct-v1:0'],
    shownModel: 'us.anthropic.claude-sonnet-4-6',
    cloudHost: 'bedrock-runtime.us-east-1.amazonaws.com:443',
    region: 'us-east-1',
    apiKey,
  }),
  row('ollama', ollamaChat, createOllama, { model: 'llama3', apiKey }),
  row('openai-compatible', openaiChat, createOpenAICompatible, {
    path: '/v1',
    model: 'm',
    baseUrl: 'https://compatible.test/v1',
    apiKey,
  }),
]

/** The API with this name. */
export function apiNamed(name: string): TestedApi {
  const api = testedApis.find((one) => one.name === name)
  if (api) return api
  throw new Error(`no row of test/providers.ts is named ${name}`)
}

/** Their formats, each once: a server of these knows each request by its path. */
export const wireFormats: readonly WireFormat[] = [
  ...new Set(testedApis.map(({ format }) => format)),
]

/** The packages of vendors that have an API of their own. */
export const vendorPackages: readonly string[] = [
  ...new Set(vendors.flatMap((vendor) => vendor.package ?? [])),
]
