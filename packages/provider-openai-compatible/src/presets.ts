import { chatVendors } from '@modelport/catalog'
import { configError, type Provider } from '@modelport/core'
import { requireConfig } from '@modelport/driver'
import { configNames, fieldNames, type OpenAICompatibleConfig } from './config.js'
import { type Preset, type PresetConfig, type PresetName, toRowConfig } from './preset.js'
import { createOpenAICompatible } from './provider.js'

/** Vendors and servers that speak Chat Completions, by name: those of the catalog. */
export const presets: Readonly<Record<PresetName, Preset>> = chatVendors

/**
 * The configuration that a row of {@link presets} stands for, for everything of this package that
 * takes one.
 * @throws {LlmError} `config` — there is no such row, or as `toRowConfig`.
 */
export function toPresetConfig(name: PresetName, config?: PresetConfig): OpenAICompatibleConfig {
  const row = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (!row)
    throw configError(
      `there is no preset "${name as string}"; there are ${Object.keys(presets).sort().join(', ')}`,
    )
  return toRowConfig(row, config)
}

/**
 * A provider for a row of {@link presets}. Throws like {@link toPresetConfig} and
 * {@link createOpenAICompatible}.
 */
export function createPreset(name: PresetName, config: PresetConfig = {}): Provider {
  requireConfig(config, 'createPreset', configNames, fieldNames)
  return createOpenAICompatible(toPresetConfig(name, config))
}
