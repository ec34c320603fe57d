import type { CloudFields, ModelConfig, ProviderRow } from '@modelport/factory'
import { type Cli, readVariable } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'

/** A model to put into the configuration, as the questions, or the options, have it. */
export interface NewModel {
  readonly name: string
  readonly provider: string
  readonly model: string
  readonly baseUrl?: string
  /** Settings of the cloud that serves it. */
  readonly clouds?: CloudFields
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
  clouds,
  apiKeyEnv,
}: NewModel): ModelConfig => ({
  provider,
  model,
  ...(baseUrl !== undefined && { baseUrl }),
  ...clouds,
  ...(apiKeyEnv !== undefined && { apiKeyEnv }),
})

/** The answers that the options gave. */
export interface GivenAnswers extends Partial<NewModel> {
  /** What `--region` says: a setting of the cloud. */
  readonly region?: string
}

/** The settings of a row's cloud, with the answer to the question of the row. */
export const cloudsWith = ({ cloud, question }: ProviderRow, answer: string): CloudFields =>
  cloud === undefined || question === undefined ? {} : { [cloud]: { [question.setting]: answer } }

/**
 * The answer to the question of a row: as given, else that of the cloud's own variables. Undefined
 * if nothing answers it, and for a row without a question.
 * @throws {UsageError} an answer is given, and the row does not ask for it.
 */
export function cloudAnswer(
  cli: Cli,
  { name, question }: ProviderRow,
  { region, baseUrl }: GivenAnswers,
): string | undefined {
  if (region !== undefined && question?.setting !== 'region')
    throw new UsageError(`--region: ${name} has no region; leave it out`)
  if (region !== undefined || baseUrl !== undefined) return region

  const variables = question?.variables ?? []
  return variables.map((name) => readVariable(cli, name)).find((value) => value !== undefined)
}
