import type { Capabilities, Capability, ModelProfile } from '@modelport/core'

const source = 'profile of the configuration'

/** The capabilities of an API, with what its models decide settled by the profile where that knows. What the API cannot say stays. */
export function resolveCapabilities(capabilities: Capabilities, profile: ModelProfile = {}): Capabilities {
  const settle = (capability: Capability, supported: boolean | undefined): Capability =>
    capability.supported === false || supported === undefined ? capability : { supported, source }
  const tools = settle(capabilities.tools, profile.supportsTools)
  const withoutTools = profile.supportsTools === false ? false : undefined
  return {
    ...capabilities,
    tools,
    parallelTools: settle(capabilities.parallelTools, withoutTools),
    schema: { ...capabilities.schema, ...settle(capabilities.schema, profile.supportsJsonSchema) },
  }
}
