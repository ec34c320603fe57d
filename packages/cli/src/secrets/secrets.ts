import { headerSecrets } from '@modelport/core'
import { proxySecrets } from '@modelport/driver'
import { type ModelConfig, resolveApiKey, resolveHeaders, resolveModel } from '@modelport/factory'
import type { Cli } from '../context/cli.js'
import type { NamedModel } from '../models/configured-models.js'

/**
 * Keys and passwords of a model and of its fallbacks. They must not be stored anywhere, not even if
 * the user wrote them into a prompt.
 */
export const secretsOf = ({ config }: NamedModel, cli: Cli): string[] => secretsOfOne(config, cli)

function secretsOfOne(model: ModelConfig, cli: Cli): string[] {
  const { fallback = [] } = model
  return [...ownSecrets(model, cli), ...fallback.flatMap((spare) => secretsOfOne(spare, cli))]
}

/** A part that does not resolve is left out: a model that cannot be used sends no secret. */
function ownSecrets(model: ModelConfig, { context }: Cli): string[] {
  const parts = [
    () => headerSecrets(resolveHeaders(model, context)),
    () => headerSecrets(model.vendor?.['headers']),
    () => proxySecrets(resolveModel(model, context).proxy?.url()),
    () => [resolveApiKey(resolveModel(model, context), context) ?? ''],
  ]
  return parts.flatMap((part) => {
    try {
      // A model without a key has an empty one, which would be found in every text.
      return part().filter((secret) => secret !== '')
    } catch {
      return []
    }
  })
}
