import {
  type Capabilities,
  describeProvider,
  type ModelProfile,
  type Provider,
} from '@modelport/core'

/** The facts about a model. */
export interface ModelDescription {
  readonly capabilities?: Capabilities | undefined
  readonly profile?: ModelProfile | undefined
}

/**
 * Completes the application's description of a model by the provider's own. The application wins;
 * profiles are merged field by field.
 */
export function withDescription(provider: Provider, own: ModelDescription): ModelDescription {
  const defaults = describeProvider(provider)
  return {
    capabilities: own.capabilities ?? defaults.capabilities,
    profile: mergeProfiles(defaults.profile, own.profile),
  }
}

function mergeProfiles(
  defaults: ModelProfile | undefined,
  own: ModelProfile | undefined,
): ModelProfile | undefined {
  if (!defaults || !own) return own ?? defaults
  const fields = Object.entries(own).filter(([, value]) => value !== undefined)
  return { ...defaults, ...(Object.fromEntries(fields) as ModelProfile) }
}
