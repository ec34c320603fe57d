import { fileURLToPath } from 'node:url'
import type { CallOptions, ToolDefinition } from '@modelport/core'
import { createLlamaCpp, type LlamaCppConfig, type LlamaCppProvider } from '../src/index.js'
import { startRuntime } from '../src/llama-runtime.js'

/** A real model of 690 kB that knows a few tools. */
export const modelPath = fileURLToPath(new URL('fixtures/tinytool.gguf', import.meta.url))

/** Why no model can run here, or undefined. */
export const unavailable: string | undefined = await startRuntime(false).then(
  () => undefined,
  (error: unknown) => String(error),
)
if (unavailable !== undefined) console.log(`skipped: ${unavailable}`)

/**
 * Every call is the same on every machine; one thread, since more only wait for each other over so
 * small a model.
 */
export function local(config: Partial<LlamaCppConfig> = {}): LlamaCppProvider {
  return createLlamaCpp({
    modelPath,
    gpu: false,
    threads: 1,
    contextSize: 2048,
    ...config,
    defaults: { temperature: 0, reasoning: 'none', ...(config.defaults as object) },
  })
}

const parameters = (properties: Record<string, string>): ToolDefinition['parameters'] & {} => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(properties).map(([key, type]) => [key, { type }])),
  required: Object.keys(properties),
})

/** Two of the tools the model knows. */
export const tools: readonly ToolDefinition[] = [
  {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: parameters({ city: 'string' }),
  },
  {
    name: 'add',
    description: 'Adds two numbers',
    parameters: parameters({ a: 'integer', b: 'integer' }),
  },
]

export const user = (content: string) => ({ role: 'user', content }) as const
export const withThinking: CallOptions = { reasoning: 'low' }
