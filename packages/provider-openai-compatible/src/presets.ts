import { LlmError, type Provider } from '@modelport/core'
import { type Preset, type PresetConfig, type PresetName, toRowConfig } from './preset.js'
import { createOpenAICompatible, type OpenAICompatibleConfig } from './provider.js'
import { llamacppServer, lmstudio, openaiCompatible, vllm } from './servers.js'
import {
  alibaba,
  cerebras,
  deepseek,
  fireworks,
  githubModels,
  grok,
  groq,
  huggingface,
  mistral,
  moonshot,
  openrouter,
  perplexity,
  together,
  zai,
} from './vendors.js'

/** Day of the table: models and prices change, and a configuration wins over every field. */
export const presetsDate = '2026-11-21'

/** Vendors and servers that speak Chat Completions: what each does otherwise than most. All facts read {@link presetsDate}. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  deepseek,
  grok,
  huggingface,
  lmstudio,
  'llamacpp-server': llamacppServer,
  'openai-compatible': openaiCompatible,
  mistral,
  groq,
  openrouter,
  together,
  fireworks,
  cerebras,
  perplexity,
  vllm,
  moonshot,
  zai,
  alibaba,
  'github-models': githubModels,
}

/**
 * The configuration that a row of {@link presets} stands for, for everything of this package that takes one.
 * @throws {LlmError} `config` — there is no such row, or as {@link toRowConfig}.
 */
export function toPresetConfig(name: PresetName, config?: PresetConfig): OpenAICompatibleConfig {
  const row = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (!row)
    throw new LlmError(
      'config',
      `there is no preset "${name as string}"; there are ${Object.keys(presets).sort().join(', ')}`,
    )
  return toRowConfig(row, config)
}

/** A provider for a row of {@link presets}. Throws like {@link toPresetConfig} and {@link createOpenAICompatible}. */
export const createPreset = (name: PresetName, config?: PresetConfig): Provider =>
  createOpenAICompatible(toPresetConfig(name, config))
