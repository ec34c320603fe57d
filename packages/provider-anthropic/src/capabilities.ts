import type { Capabilities } from '@modelport/core'
import { type CommonConfig, resolveCapabilities } from '@modelport/driver'
import { type ModelTraits, traitsOf } from './traits.js'

const docs = 'https://platform.claude.com/docs/en'

/** What can be asked of a model through this API; of 2026-11-21. Reasoning is by the model's traits. */
export function capabilities({
  model,
  traits,
  profile,
}: Pick<CommonConfig, 'model' | 'profile'> & { readonly traits?: Partial<ModelTraits> | undefined }): Capabilities {
  return resolveCapabilities(
    {
      tools: { supported: true, source: `${docs}/agents-and-tools/tool-use/overview` },
      parallelTools: { supported: true, source: `${docs}/agents-and-tools/tool-use/implement-tool-use` },
      images: { supported: true, source: `${docs}/build-with-claude/vision` },
      schema: { supported: 'by-model', withTools: true, source: `${docs}/build-with-claude/structured-outputs` },
      logprobs: { supported: false, source: `${docs}/api/messages` },
      reasoning: {
        supported: traitsOf(model, traits).thinking !== 'none',
        source: `${docs}/build-with-claude/thinking`,
      },
      embeddings: { supported: false, source: `${docs}/build-with-claude/embeddings` },
      files: { supported: true, source: `${docs}/build-with-claude/files` },
      providerTools: { webSearch: { type: 'web_search_20250305', name: 'web_search' } },
    },
    profile,
  )
}
