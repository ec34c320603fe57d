import type { ModelConfig } from '@modelport/factory'
import { type Cli, readVariable } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'

/** A model to put into the configuration, as the questions, or the options, have it. */
export interface NewModel {
  readonly name: string
  readonly provider: string
  readonly model: string
  readonly baseUrl?: string
  readonly bedrock?: { readonly region: string }
  readonly apiKeyEnv?: string
  /**
   * The key itself, if the user gave one: for the test and the key file, never for the
   * configuration.
   */
  readonly key?: string
  /** Whether the model calls tools, if its server says so. */
  readonly supportsTools?: boolean
  /** True puts the key into the key file. */
  readonly saveKey?: boolean
}

/** The configuration of the model, to test it with. */
export const toModelConfig = ({
  provider,
  model,
  baseUrl,
  bedrock,
  apiKeyEnv,
}: NewModel): ModelConfig => ({
  provider,
  model,
  ...(baseUrl !== undefined && { baseUrl }),
  ...(bedrock && { bedrock }),
  ...(apiKeyEnv !== undefined && { apiKeyEnv }),
})

/**
 * The region of Bedrock: as given, else that of AWS's own variables. Undefined for an address of
 * the user's, and for other providers.
 */
export function regionOf(
  cli: Cli,
  provider: string,
  { bedrock, baseUrl }: Partial<NewModel>,
): NewModel['bedrock'] {
  if (provider !== 'bedrock' && bedrock)
    throw new UsageError(`--region is for bedrock; leave it out for ${provider}`)
  if (provider !== 'bedrock' || bedrock || baseUrl !== undefined) return bedrock
  const region = readVariable(cli, 'AWS_REGION') ?? readVariable(cli, 'AWS_DEFAULT_REGION')
  return region === undefined ? undefined : { region }
}
