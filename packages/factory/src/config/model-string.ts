import { configError } from '@modelport/core'
import { checkFields } from './config-fields.js'
import type { ModelConfig } from './model-config.js'

/**
 * A configuration of `provider`, `provider:model`, or a configuration whose `provider` is so
 * written. Only the first colon divides: `ollama:llama3:8b` is the model `llama3:8b`.
 * @throws {LlmError} `config` — a half is empty, the model is given twice, or a field is unknown or
 * not what it should be.
 */
export function parseModel(model: ModelConfig | string): ModelConfig {
  const config = typeof model === 'string' ? { provider: model } : model
  const { provider } = (config as ModelConfig | null | undefined) ?? {}
  if (typeof provider !== 'string' || !provider.trim())
    throw configError('provider is missing; give for example provider: "openai"')
  checkFields(config)
  const colon = provider.indexOf(':')
  if (colon < 0) return { ...config, provider: provider.trim().toLowerCase() }
  const name = provider.slice(0, colon).trim()
  const rest = provider.slice(colon + 1).trim()
  if (!name || !rest)
    throw configError(
      `${JSON.stringify(provider)} has no ${name ? 'model after' : 'provider before'} its colon`,
    )
  if (config.model)
    throw configError(
      `the model is given twice: in provider ${JSON.stringify(provider)} and as model ${JSON.stringify(config.model)}`,
    )
  return { ...config, provider: name.toLowerCase(), model: rest }
}
