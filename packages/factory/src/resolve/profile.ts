import { type ModelFacts, vendorModels } from '@modelport/catalog'
import { configError, type ModelProfile } from '@modelport/core'
import type { ModelConfig } from '../config/model-config.js'
import type { ProviderRow, ResolvedModel } from '../providers/row.js'

/**
 * The profile of a configuration, filled in from the catalog if it asks for that.
 * @throws {LlmError} `config` — the address is not the vendor's own, or nothing is known of the
 * model.
 */
export function profileOf(
  { name }: ProviderRow,
  { profile, model = '' }: ModelConfig,
  source: NonNullable<ResolvedModel['baseUrl']>['source'] | undefined,
  models: Readonly<Record<string, readonly ModelFacts[]>> = vendorModels,
): ModelProfile | undefined {
  if (!profile) return undefined
  const { catalog, ...own } = profile
  if (!catalog) return own
  if (source !== 'default')
    throw configError(
      `${name}: profile.catalog: prices at another address than the vendor's own are not known; write them into the profile`,
    )
  const known = Object.hasOwn(models, name) ? (models[name] ?? []) : []
  const facts = known.find(({ id }) => id === model)
  if (!facts)
    throw configError(
      `${name}: profile.catalog: the catalog has no facts of the model ${JSON.stringify(model)}; write them into the profile. It knows: ${known.map(({ id }) => id).join(', ') || 'no model of this provider'}`,
    )
  const { contextWindow, prices } = facts
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(prices !== undefined && { prices }),
    ...own,
  }
}
