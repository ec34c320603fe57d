import type { ChatVendor, ChatVendorName } from '@modelport/catalog'
import { configError, type Provider } from '@modelport/core'
import { defined, requireConfig } from '@modelport/driver'
import { configNames, fieldNames, type OpenAICompatibleConfig } from './config.js'
import { createOpenAICompatible } from './provider.js'

/** One vendor or server that speaks Chat Completions, as data of the catalog. */
export type Preset = ChatVendor

/** Name of a {@link Preset}. */
export type PresetName = ChatVendorName

/**
 * Configuration of {@link createPresetProvider}: each field replaces the row's, and `quirks` are
 * merged field by field.
 */
export type PresetConfig = Partial<OpenAICompatibleConfig>

/**
 * The configuration that a row stands for, for everything of this package that takes one. Of the
 * rows, only this one is in a bundle.
 * @throws {LlmError} `config` — the vendor closed the service, or the row needs a key or a model.
 */
export function toRowConfig(row: Preset, config: PresetConfig = {}): OpenAICompatibleConfig {
  const { name, baseUrl, quirks } = row
  const ownConfig: PresetConfig = defined(config)
  const model = ownConfig.model ?? row.model
  const apiKey = ownConfig.apiKey ?? row.fallbackKey
  if (ownConfig.baseUrl === undefined && row.retired)
    throw configError(
      `${name}: the vendor closed this service on ${row.retired}; pass the baseUrl of another`,
    )
  if (ownConfig.baseUrl === undefined && row.needsKey && apiKey === undefined)
    throw configError(`${name}: pass apiKey; only newProvider reads it from ${row.keyVariables[0]}`)
  if (!model) throw configError(`${name}: pass model; only you know what this server has`)
  return {
    name,
    baseUrl,
    ...ownConfig,
    preset: row,
    model,
    cheapestModel:
      ownConfig.cheapestModel ??
      (ownConfig.baseUrl === undefined ? row.cheapestModel : undefined) ??
      model,
    ...(apiKey !== undefined && { apiKey }),
    ...((row.timeouts ?? ownConfig.timeouts) && {
      timeouts: { ...row.timeouts, ...ownConfig.timeouts },
    }),
    quirks: { ...quirks, ...ownConfig.quirks },
  }
}

/** A provider for a row. Throws like `toRowConfig` and {@link createOpenAICompatible}. */
export function createPresetProvider(row: Preset, config: PresetConfig = {}): Provider {
  requireConfig(config, 'createPresetProvider', configNames, fieldNames)
  return createOpenAICompatible(toRowConfig(row, config))
}
