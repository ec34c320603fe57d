import { isProvider, type Provider } from '@modelport/core'

/** A provider, or how to get one at the first call. */
export type ModelSource = Provider | (() => Provider | Promise<Provider>)

/** The provider of a model, which may be made only at the first call. */
export interface LoadedSource {
  /** The provider, once it is made. */
  readonly current: Provider | undefined
  load(): Promise<Provider>
}

/**
 * Wraps a provider or a function that makes one. A function is called once, and again after a
 * failure.
 * @throws {TypeError} it is neither a provider nor a function.
 */
export function toSource(given: ModelSource): LoadedSource {
  if (isProvider(given)) return { current: given, load: () => Promise.resolve(given) }
  if (typeof given !== 'function')
    throw new TypeError(
      'toLanguageModel: expected a provider, or a function that makes one; for a promise write () => newProvider(…), which is called at the first use',
    )
  let current: Provider | undefined
  let loading: Promise<Provider> | undefined
  const loadOnce = async (): Promise<Provider> => {
    const provider: unknown = await given()
    if (!isProvider(provider))
      throw new TypeError('toLanguageModel: the function gave something else than a provider')
    current = provider
    return provider
  }
  return {
    get current() {
      return current
    },
    load: () =>
      (loading ??= loadOnce().catch((error: unknown) => {
        loading = undefined
        throw error
      })),
  }
}
