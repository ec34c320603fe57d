import { fileURLToPath } from 'node:url'
import { createLlamaCpp, type LlamaCppProvider } from '@modelport/provider-llamacpp'

const committed = fileURLToPath(
  new URL('../../../packages/provider-llamacpp/test/fixtures/tinytool.gguf', import.meta.url),
)

/**
 * The demo's question in two halves: the model of 690 kB that is in this repository knows questions
 * about one thing only. A model of a usual size answers both at once.
 */
export const prompts: readonly string[] = [
  'What is the weather in Paris and in Rome?',
  'What is 12 plus 30?',
]

/**
 * A GGUF file in this process, by default the one in this repository: no server, no key, no
 * network.
 */
export function createLocalModel(modelPath: string = committed): LlamaCppProvider {
  const small = modelPath === committed
  return createLlamaCpp({
    modelPath,
    gpu: small ? false : 'auto',
    ...(small && { threads: 1, defaults: { temperature: 0, reasoning: 'none' } }),
  })
}
