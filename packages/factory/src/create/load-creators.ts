import { configError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { installAdvice } from '../base/install-advice.js'
import type { LoadCreators } from './creation.js'
import { type LoadPackage, vendorPackages } from './vendor-packages.js'

/** Packages that do not belong to one vendor of the catalog. */
const otherPackages: Readonly<Record<string, LoadPackage>> = {
  '@modelport/provider-openai-compatible': async (fail) => {
    const compatible = await import('@modelport/provider-openai-compatible').catch(fail)
    const { createPreset, toPresetConfig } = compatible
    type Settings = Parameters<typeof toPresetConfig>[1] & {
      readonly preset: Parameters<typeof toPresetConfig>[0]
    }
    const ofRow =
      <T, More extends readonly unknown[]>(
        create: (config: ReturnType<typeof toPresetConfig>, ...more: More) => T,
      ) =>
      ({ preset, ...settings }: Settings, ...more: More): T =>
        create(toPresetConfig(preset, settings), ...more)
    return {
      createProvider: ({ preset, ...settings }: Settings) => createPreset(preset, settings),
      createEmbedder: ofRow(compatible.createOpenAICompatibleEmbedder),
      listModels: ofRow(compatible.listModels),
    }
  },
  '@modelport/provider-mock': async (fail) => {
    const { createMock } = await import('@modelport/provider-mock').catch(fail)
    return { createProvider: createMock }
  },
}

const packages: Readonly<Record<string, LoadPackage>> = { ...vendorPackages, ...otherPackages }

/**
 * Loads the package of a row.
 * @throws {LlmError} `config` — it is not installed: the message is the command that installs it.
 */
export const loadCreators: LoadCreators = ({ name, package: packageName }) => {
  const load = packageName === undefined ? undefined : packages[packageName]
  if (!load || packageName === undefined) {
    return Promise.reject(
      configError(
        `${name}: modelport cannot load ${packageName ?? 'it'}; give the row creators of its own`,
      ),
    )
  }
  return load((cause) => {
    const message = errorText(cause)
    // An installed package may import one that is not installed.
    const missing = message.split(/ (?:imported )?from /)[0] ?? ''
    const why = missing.includes(packageName)
      ? `the package ${packageName} is not installed`
      : `the package ${packageName} does not load: ${message}`
    throw configError(`${name}: ${why}; ${installAdvice(packageName)}`, { cause })
  })
}
