import type { EmbedOptions } from './embedder.js'
import type { ModelProfile } from './model-profile.js'
import { numberForms } from './number-forms.js'
import type { OptionValues, RetryOptions } from './options.js'
import type { RequestOptions } from './request-options.js'

/**
 * The names of the fields of a type. The compiler names the field that is missing in `fields`, or
 * that the type does not have.
 * @example
 * ```ts
 * import { namesOf } from '@modelport/core/settings'
 *
 * interface StoreSettings { file: string; leaseMs?: number }
 * const names = namesOf<StoreSettings>({ file: true, leaseMs: true }) // ['file', 'leaseMs']
 * ```
 */
export const namesOf = <T extends object>(
  fields: Readonly<Record<keyof T, true>>,
): readonly (keyof T & string)[] => Object.keys(fields) as (keyof T & string)[]

/**
 * The names of the options that calls take, for `checkSettings`: one list for each type of core.
 */
export const optionNames: Readonly<
  Record<'call' | 'retry' | 'profile' | 'embed' | 'request', readonly string[]>
> = {
  /** Of `CallOptions`. */
  call: [
    ...Object.keys(numberForms),
    ...namesOf<Omit<OptionValues, keyof typeof numberForms>>({
      system: true,
      stop: true,
      tools: true,
      toolChoice: true,
      parallelToolCalls: true,
      responseFormat: true,
      reasoning: true,
      cache: true,
      providerTools: true,
      vendor: true,
      signal: true,
      retry: true,
    }),
  ],
  /** Of `RetryOptions`. */
  retry: namesOf<RetryOptions>({ attempts: true, onRetry: true, onResponse: true }),
  /** Of `ModelProfile`. */
  profile: namesOf<ModelProfile>({
    provider: true,
    model: true,
    contextWindow: true,
    prices: true,
    supportsTools: true,
    supportsStreaming: true,
    supportsJsonSchema: true,
  }),
  /** Of `EmbedOptions`. */
  embed: namesOf<EmbedOptions>({
    purpose: true,
    signal: true,
    deadlineMs: true,
    retry: true,
    vendor: true,
  }),
  /** Of `RequestOptions`. */
  request: namesOf<RequestOptions>({
    signal: true,
    deadlineMs: true,
    retry: true,
    vendor: true,
  }),
}
