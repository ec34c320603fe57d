import type { Capabilities } from '@modelport/core'
import { type CommonConfig, resolveCapabilities } from '@modelport/driver'

const docs = 'https://docs.ollama.com'

/**
 * What can be asked of a model through Ollama's own API; of 2026-11-21. The server refuses with
 * `unsupported` what a model cannot do.
 */
export function capabilities({ profile }: Pick<CommonConfig, 'profile'> = {}): Capabilities {
  return resolveCapabilities(
    {
      tools: { supported: 'by-model', source: `${docs}/capabilities/tool-calling` },
      parallelTools: { supported: 'by-model', source: `${docs}/capabilities/tool-calling` },
      images: { supported: 'by-model', source: `${docs}/capabilities/vision` },
      schema: { supported: true, source: `${docs}/capabilities/structured-outputs` },
      logprobs: { supported: true, source: `${docs}/api/chat` },
      reasoning: { supported: 'by-model', source: `${docs}/capabilities/thinking` },
      embeddings: { supported: 'by-model', source: `${docs}/capabilities/embeddings` },
    },
    profile,
  )
}
