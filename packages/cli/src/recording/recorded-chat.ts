import { LlmError } from '@modelport/core'
import { type ModelConfig, resolveModel } from '@modelport/factory'
import { type CassetteRecorder, recordCassette } from '@modelport/provider-mock'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import type { NamedModel } from '../models/configured-models.js'
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
