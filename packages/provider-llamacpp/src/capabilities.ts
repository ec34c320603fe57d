import type { Capabilities } from '@modelport/core'
import { resolveCapabilities } from '@modelport/driver'
import type { LlamaCppConfig } from './config.js'

const tests = 'packages/provider-llamacpp/test'

/**
 * What can be asked of a model in this process; of 2026-11-21. Tools and thinking are those of the
 * file's chat template.
 */
export function capabilities({ profile }: Pick<LlamaCppConfig, 'profile'> = {}): Capabilities {
  return resolveCapabilities(
    {
      tools: { supported: 'by-model', source: `${tests}/tools.test.ts` },
      parallelTools: { supported: 'by-model', source: `${tests}/tools.test.ts` },
      images: { supported: false, source: 'https://node-llama-cpp.withcat.ai/guide/' },
      schema: { supported: true, source: `${tests}/schema.test.ts` },
      logprobs: { supported: true, source: `${tests}/replies.test.ts` },
      reasoning: { supported: 'by-model', source: `${tests}/replies.test.ts` },
      embeddings: { supported: true, source: `${tests}/embedder.test.ts` },
    },
    profile,
  )
}
