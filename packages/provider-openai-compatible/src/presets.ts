import type { JsonObject } from '@modelport/core'
import type { Preset, PresetName } from './preset.js'

/** Day of the table: models and prices change, and a configuration wins over every field. */
export const presetsDate = '2026-11-21'

const effort = (level: string): JsonObject => ({ reasoning_effort: level })
const efforts = { low: effort('low'), medium: effort('medium'), high: effort('high') }
const thinking = (level: string): JsonObject => ({ thinking: { type: 'enabled' }, ...effort(level) })
const unthinking = { thinking: { type: 'disabled' } }
const template = (level: string): JsonObject => ({ chat_template_kwargs: { enable_thinking: true, ...effort(level) } })
const untemplated = { chat_template_kwargs: { enable_thinking: false } }
const routed = (level: string): JsonObject => ({ reasoning: { effort: level } })
const budget = (tokens: number): JsonObject => ({ enable_thinking: true, thinking_budget: tokens })
const textAndImages = ['text', 'image'] as const

/** Models load, and tool calls are held back until they are whole, without a byte on the wire. */
const patient = { headersMs: 600_000, idleMs: 600_000, semanticIdleMs: 600_000 }

/** Vendors that speak Chat Completions: what each does otherwise than most. All facts read {@link presetsDate}. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  /**
   * Calls made while thinking must come back with their `reasoning_content`. The models `deepseek-chat` and `deepseek-reasoner` closed 2026-07-24.
   * @see https://api-docs.deepseek.com/guides/thinking_mode.md · https://api-docs.deepseek.com/quick_start/pricing.md
   */
  deepseek: {
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
  },
  /**
   * The models up to `grok-4-0709`, and with it `grok-4-latest`, closed 2026-05-15.
   * @see https://docs.x.ai/developers/migration/may-15-retirement.md · https://docs.x.ai/guides/reasoning
   */
  grok: {
    baseUrl: 'https://api.x.ai/v1',
    keyVariables: ['XAI_API_KEY', 'GROK_API_KEY'],
    needsKey: true,
    model: 'grok-latest',
    cheapestModel: 'grok-4.3',
    nativeTools: true,
    quirks: { inputs: textAndImages, lacks: ['topK'] },
    docs: 'https://docs.x.ai/docs/api-reference',
  },
  /** @see https://huggingface.co/docs/inference-providers */
  huggingface: {
    baseUrl: 'https://router.huggingface.co/v1',
    keyVariables: ['HF_API_TOKEN', 'HF_TOKEN'],
    needsKey: true,
    nativeTools: false,
    quirks: { inputs: textAndImages },
    docs: 'https://huggingface.co/docs/inference-providers/tasks/chat-completion',
  },
  /**
   * Refuses a tool forced by name and `json_object`, each by its own error message.
   * @see https://lmstudio.ai/docs/developer/openai-compat/chat-completions · https://github.com/lmstudio-ai/lmstudio-bug-tracker
   */
  lmstudio: {
    baseUrl: 'http://localhost:1234/v1',
    baseUrlVariables: ['LMSTUDIO_URL'],
    keyVariables: ['LMSTUDIO_API_KEY'],
    needsKey: false,
    fallbackKey: 'lm-studio',
    model: 'local-model',
    nativeTools: false,
    quirks: {
      inputs: textAndImages,
      responseFormats: ['json-schema'],
      toolChoices: ['auto', 'none', 'required'],
      lacks: ['topLogprobs', 'parallelToolCalls'],
    },
    timeouts: patient,
    docs: 'https://lmstudio.ai/docs/developer/openai-compat/chat-completions',
  },
  /**
   * A `tool_choice` that is an object counts as `auto`; the switches of thinking are the chat template's.
   * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
   */
  'llamacpp-server': {
    baseUrl: 'http://localhost:8080',
    keyVariables: ['LLAMA_API_KEY'],
    needsKey: false,
    model: 'gemma4:e4b',
    nativeTools: false,
    quirks: {
      inputs: ['text', 'image', 'audio'],
      toolChoices: ['auto', 'none', 'required'],
      reasoning: { none: untemplated, low: template('low'), medium: template('medium'), high: template('high') },
      tokenizer: 'llama.cpp',
    },
    timeouts: patient,
    docs: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
  },
  /** Any other server; nothing is known of it. */
  'openai-compatible': {
    baseUrl: 'http://localhost:1234/v1',
    baseUrlVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
    keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
    needsKey: false,
    model: 'local-model',
    nativeTools: false,
    quirks: {},
    docs: 'https://platform.openai.com/docs/api-reference/chat/create',
  },
  /**
   * Ids of calls are nine letters or digits; a field it does not know is a 422; usage comes unasked.
   * @see https://docs.mistral.ai/api/endpoint/chat · https://github.com/mistralai/mistral-vibe/issues/1075 (ids)
   */
  mistral: {
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
      lacks: ['topK', 'topLogprobs'],
      reasoning: { none: effort('none'), high: effort('high') },
    },
    docs: 'https://docs.mistral.ai/api/endpoint/chat',
  },
  /** Log probabilities and names of messages are a 400. @see https://console.groq.com/docs/openai.md · https://console.groq.com/docs/reasoning */
  groq: {
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariables: ['GROQ_API_KEY'],
    needsKey: true,
    model: 'openai/gpt-oss-120b',
    cheapestModel: 'openai/gpt-oss-20b',
    nativeTools: true,
    quirks: { inputs: textAndImages, maxTokensField: 'max_completion_tokens', messageNames: false, lacks: ['topK', 'topLogprobs'] },
    docs: 'https://console.groq.com/docs/api-reference#chat-create',
  },
  /** One field steers every model's reasoning; files may be given by address. @see https://openrouter.ai/docs/use-cases/reasoning-tokens */
  openrouter: {
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
  },
  /** Its `logprobs` is a number and answers in a form of its own. @see https://docs.together.ai/reference/chat-completions */
  together: {
    baseUrl: 'https://api.together.xyz/v1',
    keyVariables: ['TOGETHER_API_KEY'],
    needsKey: true,
    model: 'openai/gpt-oss-120b',
    cheapestModel: 'openai/gpt-oss-20b',
    nativeTools: true,
    quirks: {
      inputs: textAndImages,
      lacks: ['topLogprobs', 'parallelToolCalls'], reasoning: { none: { reasoning: { enabled: false } }, ...efforts },
    },
    docs: 'https://docs.together.ai/reference/chat-completions',
  },
  /** @see https://docs.fireworks.ai/guides/reasoning.md · https://docs.fireworks.ai/api-reference/post-chatcompletions */
  fireworks: {
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyVariables: ['FIREWORKS_API_KEY'],
    needsKey: true,
    model: 'accounts/fireworks/models/kimi-k3',
    cheapestModel: 'accounts/fireworks/models/gpt-oss-120b',
    nativeTools: true,
    quirks: { inputs: textAndImages },
    docs: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
  },
  /** @see https://inference-docs.cerebras.ai/api-reference/chat-completions */
  cerebras: {
    baseUrl: 'https://api.cerebras.ai/v1',
    keyVariables: ['CEREBRAS_API_KEY'],
    needsKey: true,
    model: 'gpt-oss-120b',
    cheapestModel: 'gpt-oss-120b',
    nativeTools: true,
    quirks: { inputs: textAndImages, maxTokensField: 'max_completion_tokens', lacks: ['topK'] },
    docs: 'https://inference-docs.cerebras.ai/api-reference/chat-completions',
  },
  /** Searches the web by itself and takes no tools. @see https://docs.perplexity.ai/guides/chat-completions-guide */
  perplexity: {
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
      reasoning: efforts,
    },
    docs: 'https://docs.perplexity.ai/docs/sonar/openai-compatibility',
  },
  /**
   * Tools need flags at the server's start (`--enable-auto-tool-choice --tool-call-parser …`).
   * @see https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
   */
  vllm: {
    baseUrl: 'http://localhost:8000/v1',
    keyVariables: ['VLLM_API_KEY'],
    needsKey: false,
    nativeTools: false,
    quirks: { inputs: ['text', 'image', 'audio'], reasoning: { none: untemplated, ...efforts }, tokenizer: 'vllm' },
    timeouts: patient,
    docs: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
  },
  /**
   * Sampling is fixed, another temperature is a 400; reasoning goes back with every message. K3 knows the efforts low, high and max.
   * @see https://platform.kimi.ai/docs/api/models-overview · https://platform.kimi.ai/docs/guide/kimi-k3-quickstart
   */
  moonshot: {
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
      reasoning: { none: unthinking, low: effort('low'), high: effort('high') },
    },
    docs: 'https://platform.kimi.ai/docs/api/chat',
  },
  /**
   * Takes no `tool_choice` but `auto`. GLM-5.3 always thinks, with the efforts low, high and max; older ones can be told not to.
   * @see https://docs.z.ai/api-reference/llm/chat-completion.md · https://docs.z.ai/guides/capabilities/struct-output.md
   */
  zai: {
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
  },
  /** Thinking is on or off; the budgets are this table's. @see https://www.alibabacloud.com/help/en/model-studio/deep-thinking */
  alibaba: {
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariables: ['DASHSCOPE_API_KEY', 'ALIBABA_API_KEY'],
    needsKey: true,
    model: 'qwen-plus',
    cheapestModel: 'qwen-flash',
    nativeTools: true,
    quirks: {
      inputs: textAndImages,
      toolChoices: ['auto', 'none', 'named'],
      reasoning: { none: { enable_thinking: false }, low: budget(1024), medium: budget(8192), high: budget(24_576) },
    },
    docs: 'https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions',
  },
  /** Closed by the vendor, for every customer. @see https://github.com/orgs/community/discussions/203602 */
  'github-models': {
    baseUrl: 'https://models.github.ai/inference',
    keyVariables: ['GITHUB_TOKEN'],
    needsKey: true,
    model: 'openai/gpt-4.1',
    cheapestModel: 'openai/gpt-4.1-nano',
    nativeTools: true,
    quirks: { apiPath: '', inputs: textAndImages, lacks: ['topK'] },
    retired: '2026-07-30',
    docs: 'https://docs.github.com/en/rest/models/inference',
  },
}
