import type { ModelConfig } from '@modelport/factory'

/** The one place that says which model is used: the agent and its allow-list are both made of it. */
export const modelAt = (baseUrl: string): ModelConfig => ({
  provider: 'openai-compatible',
  model: 'my-model',
  baseUrl,
  // The platform's own fetch: Deno checks it, and under sandbox-runtime it goes through the sandbox's proxy.
  fetch: globalThis.fetch,
})
