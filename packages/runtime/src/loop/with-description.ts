import { type Capabilities, describeProvider, type ModelProfile, type Provider } from '@modelport/core'

/** The fields of a request that a provider can fill in. */
export interface Described {
  readonly capabilities?: Capabilities | undefined
  readonly profile?: ModelProfile | undefined
  readonly onEvent?: ((event: never) => void) | undefined
}

/** Fills in the capabilities and the profile that the provider describes itself with. What the request says wins, in the profile field by field. */
export function withDescription<R extends Described>(provider: Provider, request: R): R {
  const described = describeProvider(provider)
  const capabilities = request.capabilities ?? described.capabilities
  const profile = mergeProfiles(described.profile, request.profile)
  return {
    ...request,
    // A method of a class would be lost in the copy.
    ...(request.onEvent && { onEvent: request.onEvent.bind(request) }),
    ...(capabilities && { capabilities }),
    ...(profile && { profile }),
  }
}

function mergeProfiles(described: ModelProfile | undefined, given: ModelProfile | undefined): ModelProfile | undefined {
  if (!described || !given) return given ?? described
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...described, ...(Object.fromEntries(set) as ModelProfile) }
}
