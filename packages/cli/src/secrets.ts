import { type ModelConfig, resolveApiKey, resolveModel } from '@modelport/factory'
import type { Cli } from './cli.js'
import type { NamedModel } from './configured-models.js'

/** Keys and passwords of a model and its fallbacks: they must not be kept anywhere, not even where the user wrote them into a prompt. */
export function secretsOf({ config }: NamedModel, cli: Cli): string[] {
  return [config, ...(config.fallback ?? [])].flatMap((one) => secretsOfOne(one, cli))
}

function secretsOfOne(model: ModelConfig | string, { context }: Cli): string[] {
  try {
    const resolved = resolveModel(model, context)
    const { config: { headers = {} }, proxy } = resolved
    const carried = Object.entries(headers).filter(([name]) => /auth|key|token|secret|cookie|pass/i.test(name))
    const words = carried.flatMap(([, value]) => [value, ...value.split(/[\s;,]+/)])
    const { password = '' } = proxy ? new URL(proxy.url()) : {}
    return [resolveApiKey(resolved, context) ?? '', password, decodeURIComponent(password), ...words].filter(Boolean)
  } catch {
    return []
  }
}

/** A text of JSON without these texts. Shorter ones than eight characters could be any word, and stay. */
export function withoutSecrets(json: string, secrets: readonly string[]): string {
  return secrets.filter((one) => one.length >= 8).reduce((text, secret) => text.replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]'), json)
}
