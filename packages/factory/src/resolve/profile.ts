import { type ModelFacts, vendorModels } from '@modelport/catalog'
import type { PriceFacts } from '@modelport/catalog/prices'
import { configError, type ModelProfile } from '@modelport/core'
import type { ModelConfig } from '../config/model-config.js'
import type { ProviderRow, ResolvedModel } from '../providers/row.js'

/** Facts of models by the name of their provider, or a function that finds those of one model. */
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
  baseUrl: ResolvedModel['baseUrl'],
  models: FactsSource = vendorModels,
): ModelProfile | undefined {
  if (!profile) return undefined
  const { catalog, ...own } = profile
  if (!catalog) return own
  if (baseUrl?.source !== 'default')
    throw configError(
      `${name}: profile.catalog: prices at another address than the vendor's own are not known; write them into the profile`,
    )
  const facts: PriceFacts | undefined =
    typeof models === 'function'
      ? models(name, model)
      : modelsOf(models, name).find(({ id }) => id === model)
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

const modelsOf = (
  models: Readonly<Record<string, readonly ModelFacts[]>>,
  provider: string,
): readonly ModelFacts[] => (Object.hasOwn(models, provider) ? (models[provider] ?? []) : [])

/** The models that are known, for an error. */
function hintOf(models: FactsSource, name: string): string {
  if (typeof models === 'function') return ''
  const ids = modelsOf(models, name).map(({ id }) => id)
  return `. It knows: ${ids.join(', ') || 'no model of this provider'}`
}
