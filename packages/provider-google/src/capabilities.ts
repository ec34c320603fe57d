import type { Capabilities } from '@modelport/core'
import { resolveCapabilities } from '@modelport/driver'
import type { GoogleConfig } from './config.js'
import { traitsOf } from './traits.js'

const docs = 'https://ai.google.dev/gemini-api/docs'

/**
 * What can be asked of a model through these APIs; of 2026-11-21. Reasoning is by the model's
 * traits.
 */
export function capabilities({
  model,
  traits,
  profile,
}: Pick<GoogleConfig, 'model' | 'traits' | 'profile'>): Capabilities {
  const levels = Object.keys(traitsOf(model, traits).thinking).filter((level) => level !== 'none')
  return resolveCapabilities(
    {
      tools: { supported: true, source: `${docs}/function-calling` },
      parallelTools: {
        supported: true,
        source: `${docs}/function-calling#parallel_function_calling`,
      },
      images: { supported: true, source: `${docs}/image-understanding` },
      schema: { supported: true, source: `${docs}/structured-output` },
      logprobs: {
        supported: 'by-model',
        source: 'https://ai.google.dev/api/generate-content#generationconfig',
      },
      reasoning: { supported: levels.length > 0, source: `${docs}/thinking` },
      embeddings: { supported: true, source: `${docs}/embeddings` },
      files: { supported: true, source: `${docs}/files` },
      providerTools: { webSearch: { googleSearch: {} } },
    },
    profile,
  )
}
