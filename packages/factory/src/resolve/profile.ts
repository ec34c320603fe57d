import { type ModelFacts, vendorModels } from '@modelport/catalog'
import type { PriceFacts } from '@modelport/catalog/prices'
import { configError, type ModelProfile } from '@modelport/core'
import type { ModelConfig } from '../config/model-config.js'
import type { ProviderRow, ResolvedModel } from '../providers/row.js'

/** Facts of models by the name of the provider, or what finds those of one model. */
export type FactsSource =
  | Readonly<Record<string, readonly ModelFacts[]>>
  | ((provider: string, model: string) => PriceFacts | undefined)

/**
 * The profile of a configuration, filled in from the catalog if it asks for that.
 * @throws {LlmError} `config` — the address is not the vendor's own, or nothing is known of the
 * model.
 */
export function profileOf(
  { name }: ProviderRow,
  { profile, model = '' }: ModelConfig,
  source: NonNullable<ResolvedModel['baseUrl']>['source'] | undefined,
  models: FactsSource = vendorModels,
): ModelProfile | undefined {
  if (!profile) return undefined
  const { catalog, ...own } = profile
  if (!catalog) return own
  if (source !== 'default')
    throw configError(
      `${name}: profile.catalog: prices at another address than the vendor's own are not known; write them into the profile`,
    )
  const facts = typeof models === 'function' ? models(name, model) : rowOf(models, name, model)
  if (!facts)
    throw configError(
      `${name}: profile.catalog: the catalog has no facts of the model ${JSON.stringify(model)}; write them into the profile${hintOf(models, name)}`,
    )
  if (facts.reason !== undefined && own.prices === undefined)
    throw configError(
      `${name}: profile.catalog: the model ${JSON.stringify(model)} has no known price: ${facts.reason}; write prices: {input: …, output: …} into the profile`,
    )
  const { contextWindow, prices } = facts
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(prices !== undefined && { prices }),
    ...own,
  }
}

function rowOf(
  models: Readonly<Record<string, readonly ModelFacts[]>>,
  name: string,
  model: string,
): PriceFacts | undefined {
  return rowsOf(models, name).find(({ id }) => id === model)
}

const rowsOf = (
  models: Readonly<Record<string, readonly ModelFacts[]>>,
  name: string,
): readonly ModelFacts[] => (Object.hasOwn(models, name) ? (models[name] ?? []) : [])

/** The models that are known, for an error. */
function hintOf(models: FactsSource, name: string): string {
  if (typeof models === 'function') return ''
  const ids = rowsOf(models, name).map(({ id }) => id)
  return `. It knows: ${ids.join(', ') || 'no model of this provider'}`
}
