import type { EmbedOptions } from './embedder.js'
import type { ModelProfile } from './model-profile.js'
import { numberForms } from './number-forms.js'
import type { OptionValues, RetryOptions } from './options.js'
import type { RequestOptions } from './request-options.js'

/** The names of the fields of a type. The compiler refuses a list that lacks one, or has one too many. */
export const namesOf = <T extends object>(
  names: {
    readonly [Name in keyof T]-?: 1
  },
): readonly (keyof T & string)[] => Object.keys(names) as (keyof T & string)[]

const request = { signal: 1, deadlineMs: 1, retry: 1, vendor: 1 } as const

type OptionsKind = 'call' | 'retry' | 'profile' | 'embed' | 'request'

/** The names of the options that calls take, for `checkSettings`: one list for each type of core. */
export const optionNames: Readonly<Record<OptionsKind, readonly string[]>> = {
  /** Of `CallOptions`. */
  call: [
    ...Object.keys(numberForms),
    ...namesOf<Omit<OptionValues, keyof typeof numberForms>>({
      system: 1,
      stop: 1,
      tools: 1,
      toolChoice: 1,
      parallelToolCalls: 1,
      responseFormat: 1,
      reasoning: 1,
      cache: 1,
      providerTools: 1,
      vendor: 1,
      signal: 1,
      retry: 1,
    }),
  ],
  /** Of `RetryOptions`. */
  retry: namesOf<RetryOptions>({ attempts: 1, onRetry: 1 }),
  /** Of `ModelProfile`. */
  profile: namesOf<ModelProfile>({
    provider: 1,
    model: 1,
    contextWindow: 1,
    inputCostPerMillion: 1,
    outputCostPerMillion: 1,
    currency: 1,
    supportsTools: 1,
    supportsStreaming: 1,
    supportsJsonSchema: 1,
  }),
  /** Of `EmbedOptions`. */
  embed: namesOf<EmbedOptions>({ purpose: 1, ...request }),
  /** Of `RequestOptions`. */
  request: namesOf<RequestOptions>(request),
}
