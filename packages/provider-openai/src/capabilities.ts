import type { Capabilities, ProviderToolForms } from '@modelport/core'
import { resolveCapabilities } from '@modelport/driver'
import type { OpenAIConfig } from './config.js'
import { traitsOf } from './traits.js'

const docs = 'https://developers.openai.com/api/docs'

/** Each `{name}` is replaced by the setting of that name. */
const providerTools: ProviderToolForms = {
  webSearch: { type: 'web_search' },
  computerUse: {
    type: 'computer_use_preview',
    display_width: '{width}',
    display_height: '{height}',
    environment: '{environment}',
  },
  mcp: {
    type: 'mcp',
    server_label: '{label}',
    server_url: '{url}',
    require_approval: '{requireApproval}',
    allowed_tools: '{allowedTools}',
  },
}

/**
 * What can be asked of a model through these APIs (read 2026-11-21). Whether it reasons follows
 * from `traits` or from its name; if neither says that it does, a call may still ask for it.
 */
export function capabilities({
  model,
  traits,
  profile,
  api,
}: Pick<OpenAIConfig, 'model' | 'traits' | 'profile' | 'api'>): Capabilities {
  const { reasoning } = traitsOf(model, traits)
  return resolveCapabilities(
    {
      tools: { supported: true, source: `${docs}/guides/function-calling` },
      parallelTools: { supported: 'by-model', source: `${docs}/guides/function-calling` },
      images: { supported: 'by-model', source: `${docs}/guides/images-vision` },
      schema: {
        supported: 'by-model',
        withTools: true,
        source: `${docs}/guides/structured-outputs`,
      },
      logprobs: {
        supported: reasoning ? 'by-model' : true,
        source:
          'https://developers.openai.com/api/reference/resources/chat/subresources/completions',
      },
      reasoning: { supported: reasoning || 'by-model', source: `${docs}/guides/reasoning` },
      embeddings: { supported: true, source: `${docs}/guides/embeddings` },
      files: {
        supported: true,
        source: 'https://developers.openai.com/api/reference/resources/files',
      },
      ...(api !== 'chat' && { providerTools }),
    },
    profile,
  )
}
