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
 * What the provider says of its model, under what the application says: in the profile field by
 * field.
 */
export function withDescription(provider: Provider, given: ModelDescription): ModelDescription {
  const described = describeProvider(provider)
  return {
    capabilities: given.capabilities ?? described.capabilities,
    profile: mergeProfiles(described.profile, given.profile),
  }
}

function mergeProfiles(
  described: ModelProfile | undefined,
  given: ModelProfile | undefined,
): ModelProfile | undefined {
  if (!described || !given) return given ?? described
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...described, ...(Object.fromEntries(set) as ModelProfile) }
}
