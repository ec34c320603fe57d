import type { Capabilities } from '@modelport/core'
import { resolveCapabilities } from '@modelport/driver'
import type { BedrockConfig } from './config.js'
import { modelName, traitsOf } from './traits.js'

const docs = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime'

/**
 * What can be asked of a model through Converse; of 2026-11-27. What differs by model is
 * `by-model`, but for tools of Claude and Nova, and for thinking, which is refused if nothing is
 * known of it.
 */
export function capabilities({ model, traits, profile }: BedrockConfig): Capabilities {
  const known = /^(anthropic|amazon[.]nova)/.test(modelName(model))
  const tools = {
    supported: known || ('by-model' as const),
    source: `${docs}_ToolConfiguration.html`,
  }
  return resolveCapabilities(
    {
      tools,
      parallelTools: tools,
      images: { supported: 'by-model', source: `${docs}_ImageBlock.html` },
      schema: { supported: 'by-model', withTools: true, source: `${docs}_OutputConfig.html` },
      logprobs: { supported: false, source: `${docs}_Converse.html` },
      reasoning: {
        supported: traitsOf(model, traits).thinking !== 'none',
        source: `${docs}_ReasoningContentBlock.html`,
      },
      embeddings: { supported: false, source: `${docs}_Converse.html` },
    },
    profile,
  )
}
