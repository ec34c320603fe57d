import type { JsonObject } from '@modelport/core'
import type { Preset } from './preset.js'
import { high, low, medium, textAndImages } from './row-parts.js'

// Calls of these change nothing, and are marked so for bundlers.
/* @__NO_SIDE_EFFECTS__ */
const thinking = (level: string): JsonObject => ({ thinking: { type: 'enabled' }, reasoning_effort: level })
const unthinking = { thinking: { type: 'disabled' } }
/* @__NO_SIDE_EFFECTS__ */
const routed = (level: string): JsonObject => ({ reasoning: { effort: level } })
/* @__NO_SIDE_EFFECTS__ */
const budget = (tokens: number): JsonObject => ({ enable_thinking: true, thinking_budget: tokens })

/**
 * Calls made while thinking must come back with their `reasoning_content`. The models `deepseek-chat` and `deepseek-reasoner` closed 2026-07-24.
 * @see https://api-docs.deepseek.com/guides/thinking_mode.md · https://api-docs.deepseek.com/quick_start/pricing.md
 */
export const deepseek: Preset = {
  name: 'deepseek',
  baseUrl: 'https://api.deepseek.com',
  keyVariables: ['DEEPSEEK_API_KEY'],
  needsKey: true,
  model: 'deepseek-flash',
  cheapestModel: 'deepseek-flash',
  nativeTools: true,
  quirks: {
    inputs: ['text'],
    responseFormats: ['json'],
    requiredReasoningField: 'reasoning_content',
    lacks: ['topK', 'seed', 'parallelToolCalls'],
    reasoning: { none: unthinking, low: thinking('low'), medium: thinking('medium'), high: thinking('high') },
  },
  docs: 'https://api-docs.deepseek.com/api/create-chat-completion',
}

/**
 * The models up to `grok-4-0709`, and with it `grok-4-latest`, closed 2026-05-15.
 * @see https://docs.x.ai/developers/migration/may-15-retirement.md · https://docs.x.ai/guides/reasoning
 */
export const grok: Preset = {
  name: 'grok',
  baseUrl: 'https://api.x.ai/v1',
  keyVariables: ['XAI_API_KEY', 'GROK_API_KEY'],
  needsKey: true,
  model: 'grok-latest',
  cheapestModel: 'grok-4.3',
  nativeTools: true,
  quirks: { inputs: textAndImages, lacks: ['topK'] },
  docs: 'https://docs.x.ai/docs/api-reference',
}

/** Sends each call on to another vendor; there is no default model. @see https://huggingface.co/docs/inference-providers */
export const huggingface: Preset = {
  name: 'huggingface',
  baseUrl: 'https://router.huggingface.co/v1',
  keyVariables: ['HF_API_TOKEN', 'HF_TOKEN'],
  needsKey: true,
  nativeTools: false,
  quirks: { inputs: textAndImages },
  docs: 'https://huggingface.co/docs/inference-providers/tasks/chat-completion',
}

/**
 * Ids of calls are nine letters or digits; a field it does not know is a 422; usage comes unasked.
 * @see https://docs.mistral.ai/api/endpoint/chat · https://github.com/mistralai/mistral-vibe/issues/1075 (ids)
 */
export const mistral: Preset = {
  name: 'mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  keyVariables: ['MISTRAL_API_KEY'],
  needsKey: true,
  model: 'mistral-medium-latest',
  cheapestModel: 'ministral-3b-latest',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    toolCallIds: { length: 9, forbidden: /[^a-zA-Z0-9]/g },
    streamUsage: false,
    messageNames: false,
    rename: { seed: 'random_seed' },
    countedBeside: ['audio'],
    lacks: ['topK', 'topLogprobs'],
    reasoning: { none: { reasoning_effort: 'none' }, high },
  },
  docs: 'https://docs.mistral.ai/api/endpoint/chat',
}

/** Log probabilities and names of messages are a 400. @see https://console.groq.com/docs/openai.md · https://console.groq.com/docs/reasoning */
export const groq: Preset = {
  name: 'groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  keyVariables: ['GROQ_API_KEY'],
  needsKey: true,
  model: 'openai/gpt-oss-120b',
  cheapestModel: 'openai/gpt-oss-20b',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    maxTokensField: 'max_completion_tokens',
    messageNames: false,
    lacks: ['topK', 'topLogprobs'],
  },
  docs: 'https://console.groq.com/docs/api-reference#chat-create',
}

/** One field steers every model's reasoning; files may be given by address. @see https://openrouter.ai/docs/use-cases/reasoning-tokens */
export const openrouter: Preset = {
  name: 'openrouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  keyVariables: ['OPENROUTER_API_KEY'],
  needsKey: true,
  model: 'openrouter/auto',
  cheapestModel: 'openai/gpt-oss-20b',
  nativeTools: true,
  quirks: {
    fileUrls: true,
    reasoning: { none: routed('none'), low: routed('low'), medium: routed('medium'), high: routed('high') },
  },
  docs: 'https://openrouter.ai/docs/api-reference/parameters',
}

/** Its `logprobs` is a number and answers in a form of its own. @see https://docs.together.ai/reference/chat-completions */
export const together: Preset = {
  name: 'together',
  baseUrl: 'https://api.together.xyz/v1',
  keyVariables: ['TOGETHER_API_KEY'],
  needsKey: true,
  model: 'openai/gpt-oss-120b',
  cheapestModel: 'openai/gpt-oss-20b',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    lacks: ['topLogprobs', 'parallelToolCalls'],
    reasoning: { none: { reasoning: { enabled: false } }, low, medium, high },
  },
  docs: 'https://docs.together.ai/reference/chat-completions',
}

/** Speaks as most do. @see https://docs.fireworks.ai/guides/reasoning.md · https://docs.fireworks.ai/api-reference/post-chatcompletions */
export const fireworks: Preset = {
  name: 'fireworks',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  keyVariables: ['FIREWORKS_API_KEY'],
  needsKey: true,
  model: 'accounts/fireworks/models/kimi-k3',
  cheapestModel: 'accounts/fireworks/models/gpt-oss-120b',
  nativeTools: true,
  quirks: { inputs: textAndImages },
  docs: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
}

/** The limit of tokens has the newer name. @see https://inference-docs.cerebras.ai/api-reference/chat-completions */
export const cerebras: Preset = {
  name: 'cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  keyVariables: ['CEREBRAS_API_KEY'],
  needsKey: true,
  model: 'gpt-oss-120b',
  cheapestModel: 'gpt-oss-120b',
  nativeTools: true,
  quirks: { inputs: textAndImages, maxTokensField: 'max_completion_tokens', lacks: ['topK'] },
  docs: 'https://inference-docs.cerebras.ai/api-reference/chat-completions',
}

/** Searches the web by itself and takes no tools. @see https://docs.perplexity.ai/guides/chat-completions-guide */
export const perplexity: Preset = {
  name: 'perplexity',
  baseUrl: 'https://api.perplexity.ai',
  keyVariables: ['PERPLEXITY_API_KEY', 'PPLX_API_KEY'],
  needsKey: true,
  model: 'sonar-pro',
  cheapestModel: 'sonar',
  nativeTools: false,
  quirks: {
    apiPath: '',
    inputs: textAndImages,
    responseFormats: ['json-schema'],
    lacks: ['tools', 'providerTools', 'toolChoice', 'parallelToolCalls', 'seed', 'stop', 'topLogprobs'],
    reasoning: { low, medium, high },
  },
  docs: 'https://docs.perplexity.ai/docs/sonar/openai-compatibility',
}

/**
 * Sampling is fixed, another temperature is a 400; reasoning goes back with every message. K3 knows the efforts low, high and max.
 * @see https://platform.kimi.ai/docs/api/models-overview · https://platform.kimi.ai/docs/guide/kimi-k3-quickstart
 */
export const moonshot: Preset = {
  name: 'moonshot',
  baseUrl: 'https://api.moonshot.ai/v1',
  keyVariables: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
  needsKey: true,
  model: 'kimi-k3',
  cheapestModel: 'kimi-k2.6',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    maxTokensField: 'max_completion_tokens',
    takesTemperature: false,
    toolChoices: ['auto', 'none', 'required'],
    replayReasoning: 'always',
    requiredReasoningField: 'reasoning_content',
    lacks: ['topK', 'seed', 'topLogprobs', 'parallelToolCalls'],
    reasoning: { none: unthinking, low, high },
  },
  docs: 'https://platform.kimi.ai/docs/api/chat',
}

/**
 * Takes no `tool_choice` but `auto`. GLM-5.3 always thinks, with the efforts low, high and max; older ones can be told not to.
 * @see https://docs.z.ai/api-reference/llm/chat-completion.md · https://docs.z.ai/guides/capabilities/struct-output.md
 */
export const zai: Preset = {
  name: 'zai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  keyVariables: ['ZAI_API_KEY', 'ZHIPUAI_API_KEY'],
  needsKey: true,
  model: 'glm-5.3',
  cheapestModel: 'glm-4.7-flash',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    responseFormats: ['json'],
    toolChoices: ['auto'],
    messageNames: false,
    lacks: ['topK', 'seed', 'topLogprobs', 'parallelToolCalls'],
    reasoning: { none: unthinking, low: thinking('low'), high: thinking('high') },
  },
  docs: 'https://docs.z.ai/api-reference/llm/chat-completion.md',
}

/**
 * Thinking is on or off; the budgets are this table's. `insufficient_quota` is the limit of tokens a minute.
 * @see https://www.alibabacloud.com/help/en/model-studio/deep-thinking · https://www.alibabacloud.com/help/en/model-studio/rate-limit
 */
export const alibaba: Preset = {
  name: 'alibaba',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  keyVariables: ['DASHSCOPE_API_KEY', 'ALIBABA_API_KEY'],
  needsKey: true,
  model: 'qwen-plus',
  cheapestModel: 'qwen-flash',
  nativeTools: true,
  quirks: {
    inputs: textAndImages,
    toolChoices: ['auto', 'none', 'named'],
    quotaRecovers: true,
    reasoning: { none: { enable_thinking: false }, low: budget(1024), medium: budget(8192), high: budget(24_576) },
  },
  docs: 'https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions',
}

/** Closed by the vendor, for every customer. @see https://github.com/orgs/community/discussions/203602 */
export const githubModels: Preset = {
  name: 'github-models',
  baseUrl: 'https://models.github.ai/inference',
  keyVariables: ['GITHUB_TOKEN'],
  needsKey: true,
  model: 'openai/gpt-4.1',
  cheapestModel: 'openai/gpt-4.1-nano',
  nativeTools: true,
  quirks: { apiPath: '', inputs: textAndImages, lacks: ['topK'] },
  retired: '2026-07-30',
  docs: 'https://docs.github.com/en/rest/models/inference',
}
