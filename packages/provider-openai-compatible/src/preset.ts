import { LlmError, type Provider } from '@modelport/core'
import type { CommonConfig } from '@modelport/driver'
import { createOpenAICompatible, type OpenAICompatibleConfig, type Quirks } from './provider.js'

/** One vendor or server that speaks Chat Completions, as data. */
export interface Preset {
  /** Its name in the table, and the provider's unless the configuration has another. */
  readonly name: PresetName
  /** Root of the API. */
  readonly baseUrl: string
  /** Variables that replace `baseUrl`, in order, for whoever reads the environment. This package reads none. */
  readonly baseUrlVariables?: readonly string[]
  /** Variables that hold the key, in order. */
  readonly keyVariables: readonly string[]
  /** True where no request works without a key. */
  readonly needsKey: boolean
  /** The key to send when there is none. */
  readonly fallbackKey?: string
  /** Default model. Unset where only the user can know: then it must be given. */
  readonly model?: string
  /** Default model for delegated work. Unset: the model itself, as a server of one's own has no cost tiers. */
  readonly cheapestModel?: string
  /**
   * Whether to use the API's own tool calls unless told otherwise. False where many models cannot: a `profile` with
   * `supportsTools: true` says that this one can.
   */
  readonly nativeTools: boolean
  /** Where the server differs from the usual dialect. */
  readonly quirks: Quirks
  /** Waits that differ from the usual, for servers that load a model first. */
  readonly timeouts?: NonNullable<CommonConfig['timeouts']>
  /** Day on which the vendor closed the service; only another `baseUrl` makes it work. */
  readonly retired?: string
  /** Where the vendor describes its API. */
  readonly docs: string
}

/** Name of a {@link Preset}. */
export type PresetName =
  | 'alibaba'
  | 'cerebras'
  | 'deepseek'
  | 'fireworks'
  | 'github-models'
  | 'grok'
  | 'groq'
  | 'huggingface'
  | 'llamacpp-server'
  | 'lmstudio'
  | 'mistral'
  | 'moonshot'
  | 'openai-compatible'
  | 'openrouter'
  | 'perplexity'
  | 'together'
  | 'vllm'
  | 'zai'

/** Configuration of {@link createPresetProvider}: each field replaces the row's, and `quirks` are merged field by field. */
export type PresetConfig = Partial<OpenAICompatibleConfig>

/**
 * The configuration that a row stands for, for everything of this package that takes one. Of the rows, only this one is in a bundle.
 * @throws {LlmError} `config` — the vendor closed the service, or the row needs a key or a model.
 */
export function toRowConfig(row: Preset, config: PresetConfig = {}): OpenAICompatibleConfig {
  const { name, baseUrl, quirks } = row
  const given = Object.fromEntries(
    Object.entries<unknown>(config).filter(([, value]) => value !== undefined),
  ) as PresetConfig
  const model = given.model ?? row.model
  const apiKey = given.apiKey ?? row.fallbackKey
  if (given.baseUrl === undefined && row.retired)
    throw new LlmError(
      'config',
      `${name}: the vendor closed this service on ${row.retired}; pass the baseUrl of another`,
    )
  if (given.baseUrl === undefined && row.needsKey && apiKey === undefined)
    throw new LlmError('config', `${name}: pass apiKey`)
  if (!model) throw new LlmError('config', `${name}: pass model; only you know what this server has`)
  return {
    name,
    baseUrl,
    ...given,
    preset: name,
    model,
    cheapestModel: given.cheapestModel ?? (given.baseUrl === undefined ? row.cheapestModel : undefined) ?? model,
    ...(apiKey !== undefined && { apiKey }),
    ...((row.timeouts ?? given.timeouts) && { timeouts: { ...row.timeouts, ...given.timeouts } }),
    quirks: { ...quirks, ...given.quirks },
  }
}

/** A provider for a row. Throws like {@link toRowConfig} and {@link createOpenAICompatible}. */
export const createPresetProvider = (row: Preset, config?: PresetConfig): Provider =>
  createOpenAICompatible(toRowConfig(row, config))
