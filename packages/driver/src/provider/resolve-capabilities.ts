import type { Capabilities, Capability, ModelProfile } from '@modelport/core'

const source = 'profile of the configuration'

/**
 * The capabilities of an API for the model of a profile: what the profile says wins, unless the API
 * does not support it at all.
 */
export function resolveCapabilities(
  capabilities: Capabilities,
  profile: ModelProfile = {},
): Capabilities {
  // One that JavaScript left out stays so: `createProvider` names it, and the provider.
  const settle = (capability: Capability, supported: boolean | undefined): Capability =>
    !isOpen(capability) || supported === undefined ? capability : { supported, source }
  const tools = settle(capabilities.tools, profile.supportsTools)
  const withoutTools = profile.supportsTools === false ? false : undefined
  return {
    ...capabilities,
    tools,
    parallelTools: settle(capabilities.parallelTools, withoutTools),
    schema: { ...capabilities.schema, ...settle(capabilities.schema, profile.supportsJsonSchema) },
  }
}

const isOpen = (capability: Capability | undefined): boolean =>
  capability ? capability.supported !== false : false
