import type { Capabilities } from './capabilities.js'
import type { ModelProfile } from './model-profile.js'
import type { Provider } from './provider.js'

/** What a provider says about itself, beyond the methods of {@link Provider}. */
export interface ProviderDescription {
  /** What the API and the model can do, with the profile already applied. Unset: not known. */
  readonly capabilities?: Capabilities
  /** What the application said about the model. Unset: nothing. */
  readonly profile?: ModelProfile
  /**
   * The API that `vendor` fields are of, as its driver names it: `responses`, `chat-completions`,
   * `messages`, `converse`, or a name of your own. Unset: not known, or several.
   */
  readonly api?: string
}

// Registered, so that two copies of this package read each other's descriptions.
const key = Symbol.for('modelport.description')

/**
 * What a provider says about itself: its capabilities and the profile of its model. Empty for a
 * provider without a description. Object spread copies a description, so
 * `{ ...provider, name: 'x' }` keeps it; a wrapper that is built otherwise forwards it:
 * `attachDescription(wrapper, describeProvider(provider))`.
 */
export const describeProvider = (provider: Provider): ProviderDescription =>
  (provider as { readonly [key]?: ProviderDescription })[key] ?? {}

/**
 * Sets what a provider says about itself, in place of any earlier description, and returns the same
 * provider.
 */
export const attachDescription = <P extends Provider>(
  provider: P,
  description: ProviderDescription,
): P => Object.assign(provider, { [key]: description })
