import type { ModelConfig } from '@modelport/factory'

/**
 * The one place that says which model is used: the agent and its allow-list are both made of it.
 */
export const modelAt = (baseUrl: string): ModelConfig => ({
  provider: 'openai-compatible',
  model: 'my-model',
  baseUrl,
  // The way out of sandbox-runtime is a proxy, which it names there. Unset, as under Deno, it means
  // nothing.
  proxyEnv: 'HTTPS_PROXY',
})
