import type { Capabilities, Capability } from '@modelport/core'
import { resolveCapabilities } from '@modelport/driver'
import type { PresetName } from './preset.js'
import { presets } from './presets.js'
import { type OpenAICompatibleConfig, toDialect } from './provider.js'

type Ability = Exclude<keyof Capabilities, 'providerTools'>
type Claim = readonly [supported: Capability['supported'], source: string]

const corpus = 'recorded exchanges (packages/provider-openai-compatible/test/corpus.test.ts)'
const llamaServer = 'a real server (packages/provider-openai-compatible/test/llama-server.test.ts)'

/** What is known of a row beyond what its quirks say; of 2026-11-21. */
const claims: Readonly<Partial<Record<PresetName, Readonly<Partial<Record<Ability, Claim>>>>>> = {
  alibaba: {
    embeddings: [true, 'https://www.alibabacloud.com/help/en/model-studio/embedding'],
    schema: ['by-model', 'https://www.alibabacloud.com/help/en/model-studio/json-mode'],
  },
  cerebras: { embeddings: [undefined, 'https://inference-docs.cerebras.ai/api-reference/chat-completions'] },
  deepseek: {
    parallelTools: [true, 'https://api-docs.deepseek.com/guides/tool_calls'],
    logprobs: [true, 'https://api-docs.deepseek.com/api/create-chat-completion'],
    reasoning: [true, 'https://api-docs.deepseek.com/guides/thinking_mode.md'],
    embeddings: [false, 'https://api-docs.deepseek.com/api/deepseek-api'],
  },
  fireworks: {
    embeddings: [true, 'https://docs.fireworks.ai/guides/querying-embeddings-models'],
    reasoning: ['by-model', 'https://docs.fireworks.ai/guides/reasoning.md'],
  },
  'github-models': { embeddings: [true, 'https://docs.github.com/en/rest/models/embeddings'] },
  grok: {
    embeddings: [undefined, 'https://docs.x.ai/developers/rest-api-reference/inference'],
    reasoning: ['by-model', 'https://docs.x.ai/guides/reasoning'],
  },
  groq: {
    embeddings: ['by-model', 'https://github.com/groq/groq-typescript/blob/main/api.md'],
    tools: ['by-model', 'https://console.groq.com/docs/tool-use'],
  },
  huggingface: { embeddings: [false, 'https://huggingface.co/docs/inference-providers/index'] },
  'llamacpp-server': {
    tools: ['by-model', llamaServer],
    parallelTools: ['by-model', llamaServer],
    schema: [true, llamaServer],
    logprobs: [true, llamaServer],
    embeddings: [true, llamaServer],
  },
  lmstudio: {
    schema: [true, 'https://lmstudio.ai/docs/developer/openai-compat/structured-output'],
    embeddings: [true, 'https://lmstudio.ai/docs/developer/openai-compat/embeddings'],
  },
  mistral: {
    embeddings: [true, 'https://docs.mistral.ai/api/endpoint/embeddings'],
    parallelTools: [true, corpus],
    schema: [true, 'https://docs.mistral.ai/api/endpoint/chat'],
  },
  moonshot: {
    embeddings: [false, 'https://platform.kimi.ai/docs/overview'],
    schema: ['by-model', 'https://platform.kimi.ai/docs/guide/response_format'],
  },
  'openai-compatible': { embeddings: ['by-model', 'https://platform.openai.com/docs/api-reference/embeddings'] },
  openrouter: {
    tools: ['by-model', 'https://openrouter.ai/docs/features/tool-calling'],
    embeddings: [true, 'https://openrouter.ai/docs/api-reference/embeddings'],
  },
  // Its vectors come as base64 only, which the embedder does not read.
  perplexity: { schema: [true, corpus], embeddings: [false, 'https://docs.perplexity.ai/docs/embeddings/quickstart'] },
  together: {
    tools: ['by-model', 'https://docs.together.ai/docs/function-calling'],
    embeddings: [true, 'https://docs.together.ai/docs/embeddings-overview'],
  },
  vllm: {
    schema: [true, 'https://docs.vllm.ai/en/latest/features/structured_outputs.html'],
    logprobs: [true, 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html'],
    embeddings: ['by-model', 'https://docs.vllm.ai/en/latest/models/pooling_models.html'],
  },
  zai: { embeddings: ['by-model', 'https://docs.z.ai/api-reference/introduction.md'] },
}

/**
 * What can be asked of this server. The quirks decide what the API can say, as they decide which call is refused; the row adds what
 * is known beyond, and the profile settles what is the model's to say.
 */
export function capabilities(
  config: Pick<OpenAICompatibleConfig, 'quirks' | 'preset' | 'profile' | 'name'>,
): Capabilities {
  const { lacks, inputs, responseFormats, reasoning } = toDialect(config)
  const row = config.preset === undefined ? undefined : presets[config.preset]
  const known = config.preset === undefined ? {} : (claims[config.preset] ?? {})
  const source = row?.docs ?? 'nothing is known of this server; set a profile'
  const claim = (ability: Ability, said: Capability['supported']): Capability => {
    const [supported, where] = known[ability] ?? [said, source]
    // What the dialect cannot say, no row can promise.
    return said === false
      ? { supported: false, source: known[ability]?.[0] === false ? where : source }
      : { supported, source: where }
  }
  const tools = lacks.includes('tools') ? false : row?.nativeTools ? true : 'by-model'
  return resolveCapabilities(
    {
      tools: claim('tools', tools),
      parallelTools: claim('parallelTools', tools && 'by-model'),
      images: claim('images', inputs.includes('image') && 'by-model'),
      schema: claim('schema', responseFormats.includes('json-schema') && 'by-model'),
      logprobs: claim('logprobs', !lacks.includes('topLogprobs') && 'by-model'),
      reasoning: claim('reasoning', Object.keys(reasoning).length > 0 && 'by-model'),
      embeddings: claim('embeddings', 'by-model'),
    },
    config.profile,
  )
}
