import { apiHosts, hostPort, newProvider, resolveModel } from '@modelport/factory'
import type { StudioModel } from '@modelport/studio'
import type { Cli } from '../context/cli.js'
import type { NamedModel } from '../models/configured-models.js'
import { secretsOf } from '../secrets/secrets.js'

/**
 * A configured model for the studio: its requests pass through the studio's recorder, and its keys
 * stay in this process.
 */
export function toStudioModel(model: NamedModel, cli: Cli): StudioModel {
  const { proxy, row } = resolveModel(model.config, cli.context)
  // With a fallback, the recording would not show which of the two models replied.
  const { fallback: _fallback, ...config } = model.config
  return {
    id: model.name,
    provider: config.provider,
    model: config.model ?? '',
    hosts: apiHosts(config, cli.context).map(hostPort),
    secrets: secretsOf(model, cli),
    ...(model.purpose !== undefined && { note: model.purpose }),
    ...(model.profile && { profile: model.profile }),
    ...(proxy && { proxy: proxy.url() }),
    open: (fetch) => newProvider(row.offline ? config : { ...config, fetch }, cli.context),
  }
}
