import type { ModelConfig } from '@modelport/factory'

/** A model to put into the configuration, as the questions, or the options, have it. */
export interface NewModel {
  readonly name: string
  readonly provider: string
  readonly model: string
  readonly baseUrl?: string
  readonly apiKeyEnv?: string
  /** The key itself, if the user gave one: for the test and the key file, never for the configuration. */
  readonly key?: string
  /** Whether the model calls tools, if its server says so. */
  readonly supportsTools?: boolean
  /** True puts the key into the key file. */
  readonly saveKey?: boolean
}

/** The configuration of the model, to test it with. */
export const toModelConfig = ({ provider, model, baseUrl, apiKeyEnv }: NewModel): ModelConfig => ({
  provider,
  model,
  ...(baseUrl !== undefined && { baseUrl }),
  ...(apiKeyEnv !== undefined && { apiKeyEnv }),
})
