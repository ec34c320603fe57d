import { LlmError } from '@modelport/core'
import { type ModelConfig, resolveModel } from '@modelport/factory'
import { type Cassette, type CassetteRecorder, recordCassette } from '@modelport/provider-mock'
import type { GivenLimits } from '@modelport/runtime'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { writePrivateFile } from '../files/private-file.js'
import type { NamedModel } from '../models/configured-models.js'
import { withoutSecrets } from '../secrets/without-secrets.js'
import type { RecordedAsk } from './recorded-ask.js'

/** The model, with a recorder between it and the network. @throws {LlmError} `unsupported` — it opens no connection, or has a package of its own. */
export function toRecorded(
  model: NamedModel,
  { context }: Cli,
): { readonly config: ModelConfig; readonly recorder: CassetteRecorder } {
  const { proxy, row } = resolveModel(model.config, context)
  if (row.offline)
    throw new LlmError('unsupported', `${row.name}: it opens no connection, so there is nothing to record`)
  if (model.config.package)
    throw new LlmError('unsupported', `${row.name}: it cannot be recorded, since a cassette names no code to replay it`)
  const recorder = recordCassette(proxy && { proxy: proxy.url() })
  // Fallbacks would be recorded without saying so.
  const { fallback: _, ...config } = model.config
  return { config: { ...config, fetch: recorder.fetch }, recorder }
}

/** The facts about its model that a recording stores: no secret, and nothing that differs on another computer. */
export function toRecordedModel({ config }: NamedModel, { context }: Cli): RecordedAsk['model'] {
  const { config: resolved, baseUrl } = resolveModel(config, context)
  const { provider, azure, vertex } = resolved
  return {
    provider,
    ...given(resolved, 'model', 'vendor', 'defaults', 'settings'),
    ...(baseUrl && baseUrl.source !== 'default' && { baseUrl: baseUrl.href }),
    ...(azure?.deployment !== undefined && { azure: given(azure, 'deployment', 'apiVersion') }),
    ...(vertex && { vertex: given(vertex, 'project', 'location') }),
  }
}

/** How tools are asked for, if the configuration says so. */
export const toRecordedSupport = ({ profile }: NamedModel): Pick<RecordedAsk, 'supportsTools'> =>
  profile?.supportsTools === undefined ? {} : { supportsTools: profile.supportsTools }

/** The limits that decide where a run ends. Tools do not run again, so their time does not count. */
export const toRecordedLimits = ({
  maxSteps,
  maxRepeats,
  repeatableTools,
}: GivenLimits): NonNullable<RecordedAsk['limits']> => ({ maxSteps, maxRepeats, repeatableTools })

/** Writes a cassette together with what was asked, without the texts in `secrets`. Other programs read it as a plain cassette. */
export const saveRecording = (
  path: string,
  cassette: Cassette,
  asked: RecordedAsk,
  secrets: readonly string[],
): Promise<void> =>
  writePrivateFile(path, `${JSON.stringify(withoutSecrets({ ...cassette, asked }, secrets), undefined, 2)}\n`)
