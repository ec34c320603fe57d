import type { Capabilities } from '@modelport/core'
import { type CommonConfig, resolveCapabilities } from '@modelport/driver'
import { hasSchemas, hasTool } from './cloud.js'
import type { RequestRules } from './request.js'
import { traitsOf } from './traits.js'

const docs = 'https://platform.claude.com/docs/en'

/**
 * What can be asked of a model through this API; of 2026-11-21. Reasoning is by the model's traits.
 */
export function capabilities(
  config: Pick<CommonConfig, 'model' | 'profile'> & Partial<RequestRules>,
): Capabilities {
  const { model, traits, profile, cloud } = config
  const webSearch = { type: 'web_search_20250305', name: 'web_search' }
  return resolveCapabilities(
    {
      tools: { supported: true, source: `${docs}/agents-and-tools/tool-use/overview` },
      parallelTools: {
        supported: true,
        source: `${docs}/agents-and-tools/tool-use/implement-tool-use`,
      },
      images: { supported: true, source: `${docs}/build-with-claude/vision` },
      schema: {
        supported: hasSchemas(cloud) ? 'by-model' : false,
        withTools: true,
        source: `${docs}/build-with-claude/structured-outputs`,
      },
      logprobs: { supported: false, source: `${docs}/api/messages` },
      reasoning: {
        supported: traitsOf(model, traits).thinking !== 'none',
        source: `${docs}/build-with-claude/thinking`,
      },
      embeddings: { supported: false, source: `${docs}/build-with-claude/embeddings` },
      files: { supported: cloud === undefined, source: `${docs}/build-with-claude/files` },
      ...(hasTool(cloud, webSearch.type) && { providerTools: { webSearch } }),
    },
    profile,
  )
}
