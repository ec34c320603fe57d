import type { EmbedOptions } from './embedder.js'
import type { ModelProfile } from './model-profile.js'
import { numberForms } from './number-forms.js'
import type { OptionValues, RetryOptions } from './options.js'
import type { RequestOptions } from './request-options.js'

type Words<Texts extends string> = Texts extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Texts

/** What the compiler reports about lists of words that are not exactly the names of the fields. */
type Fault<T, Texts extends string> = [Exclude<keyof T, Words<Texts>>] extends [never]
  ? [Exclude<Words<Texts>, keyof T>] extends [never]
    ? unknown
    : { readonly unknown: Exclude<Words<Texts>, keyof T> }
  : { readonly missing: Exclude<keyof T, Words<Texts>> }

/**
 * The names of the fields of a type, from texts of words. The compiler names the field that the
 * texts lack, or have too much.
 */
export const namesOf =
  <T extends object>(): (<Texts extends string>(
    ...texts: readonly (Texts & Fault<T, Texts>)[]
  ) => readonly (keyof T & string)[]) =>
  (...texts) =>
    texts.flatMap((text) => text.split(' ')) as (keyof T & string)[]

type OptionsKind = 'call' | 'retry' | 'profile' | 'embed' | 'request'

/**
 * The names of the options that calls take, for `checkSettings`: one list for each type of core.
 */
export const optionNames: Readonly<Record<OptionsKind, readonly string[]>> = {
  /** Of `CallOptions`. */
  call: [
    ...Object.keys(numberForms),
    ...namesOf<Omit<OptionValues, keyof typeof numberForms>>()(
      'system stop tools toolChoice parallelToolCalls responseFormat reasoning cache providerTools',
      'vendor signal retry',
    ),
  ],
  /** Of `RetryOptions`. */
  retry: namesOf<RetryOptions>()('attempts onRetry'),
  /** Of `ModelProfile`. */
  profile: namesOf<ModelProfile>()(
    'provider model contextWindow inputCostPerMillion outputCostPerMillion currency supportsTools',
    'supportsStreaming supportsJsonSchema',
  ),
  /** Of `EmbedOptions`. */
  embed: namesOf<EmbedOptions>()('purpose signal deadlineMs retry vendor'),
  /** Of `RequestOptions`. */
  request: namesOf<RequestOptions>()('signal deadlineMs retry vendor'),
}
