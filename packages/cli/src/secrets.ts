import { headerSecrets, proxySecrets } from '@modelport/driver'
import { type ModelConfig, resolveApiKey, resolveModel } from '@modelport/factory'
import type { Cli } from './cli.js'
import type { NamedModel } from './configured-models.js'

/** Keys and passwords of a model and all it falls back to: they must not be kept anywhere, not even where the user wrote them into a prompt. */
export const secretsOf = ({ config }: NamedModel, cli: Cli): string[] => secretsOfOne(config, cli)

function secretsOfOne(model: ModelConfig, cli: Cli): string[] {
  const { headers, vendor, settings, fallback = [] } = model
  const ofHeaders = [headers, vendor?.['headers'], settings?.['headers']].flatMap(headerSecrets)
  const key = settings?.['apiKey']
  return [
    ...resolvedSecrets(model, cli),
    ...(typeof key === 'string' ? [key] : []),
    ...ofHeaders,
    ...fallback.flatMap((spare) => secretsOfOne(spare, cli)),
  ]
}

/** A model that cannot be used sends nothing that could be secret. */
function resolvedSecrets(model: ModelConfig, { context }: Cli): string[] {
  try {
    const resolved = resolveModel(model, context)
    return [...proxySecrets(resolved.proxy?.url()), resolveApiKey(resolved, context) ?? '']
  } catch {
    return []
  }
}
