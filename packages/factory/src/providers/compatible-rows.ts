import type { ProviderRow } from './row.js'

/** The package of every vendor that speaks Chat Completions and needs no SDK. */
export const compatiblePackage = '@modelport/provider-openai-compatible'

type Vendor = Pick<ProviderRow, 'name' | 'keyEnv'> & Partial<ProviderRow> & { readonly baseUrl: string }

const toRow = (row: Omit<ProviderRow, 'package' | 'settings'>): ProviderRow => ({
  ...row,
  package: compatiblePackage,
  settings: () => ({ preset: row.name }),
})
const vendor = (row: Vendor): ProviderRow => toRow({ needsKey: true, ...row })
const server = (row: Vendor): ProviderRow => toRow({ needsKey: false, selfHosted: true, ...row })

/**
 * Vendors and servers that speak Chat Completions, as of 2026-11-21. Addresses, variables and models are those of the presets of
 * the package: a test holds them together, since asking which host is contacted must not load it.
 */
export const compatibleRows: readonly ProviderRow[] = [
  toRow({
    name: 'openai-compatible',
    aliases: ['compatible'],
    baseUrl: 'http://localhost:1234/v1',
    baseUrlEnv: ['OPENAI_COMPATIBLE_BASE_URL'],
    keyEnv: ['OPENAI_COMPATIBLE_API_KEY'],
    needsKey: false,
    selfHosted: true,
    model: 'local-model',
  }),
  vendor({
    name: 'deepseek',
    baseUrl: 'https://api.deepseek.com',
    keyEnv: ['DEEPSEEK_API_KEY'],
    model: 'deepseek-flash',
    cheapestModel: 'deepseek-flash',
    keyUrl: 'https://platform.deepseek.com/api_keys',
  }),
  vendor({
    name: 'grok',
    aliases: ['xai'],
    baseUrl: 'https://api.x.ai/v1',
    keyEnv: ['XAI_API_KEY', 'GROK_API_KEY'],
    model: 'grok-latest',
    cheapestModel: 'grok-4.3',
    keyUrl: 'https://console.x.ai',
  }),
  vendor({
    name: 'huggingface',
    aliases: ['hf'],
    baseUrl: 'https://router.huggingface.co/v1',
    keyEnv: ['HF_API_TOKEN', 'HF_TOKEN'],
    keyUrl: 'https://huggingface.co/settings/tokens',
  }),
  vendor({
    name: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    keyEnv: ['MISTRAL_API_KEY'],
    model: 'mistral-medium-latest',
    cheapestModel: 'ministral-3b-latest',
    embeddingModel: 'mistral-embed',
    keyUrl: 'https://console.mistral.ai/api-keys',
  }),
  vendor({
    name: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyEnv: ['GROQ_API_KEY'],
    model: 'openai/gpt-oss-120b',
    cheapestModel: 'openai/gpt-oss-20b',
    keyUrl: 'https://console.groq.com/keys',
  }),
  vendor({
    // The fewest tokens are those of the vendors behind it.
    name: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyEnv: ['OPENROUTER_API_KEY'],
    fewestTokens: 16,
    model: 'openrouter/auto',
    cheapestModel: 'openai/gpt-oss-20b',
    keyUrl: 'https://openrouter.ai/settings/keys',
  }),
  vendor({
    name: 'together',
    baseUrl: 'https://api.together.xyz/v1',
    keyEnv: ['TOGETHER_API_KEY'],
    model: 'openai/gpt-oss-120b',
    cheapestModel: 'openai/gpt-oss-20b',
    keyUrl: 'https://api.together.ai/settings/api-keys',
  }),
  vendor({
    name: 'fireworks',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyEnv: ['FIREWORKS_API_KEY'],
    model: 'accounts/fireworks/models/kimi-k3',
    cheapestModel: 'accounts/fireworks/models/gpt-oss-120b',
    keyUrl: 'https://app.fireworks.ai/settings/users/api-keys',
  }),
  vendor({
    name: 'cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    keyEnv: ['CEREBRAS_API_KEY'],
    model: 'gpt-oss-120b',
    cheapestModel: 'gpt-oss-120b',
    keyUrl: 'https://cloud.cerebras.ai',
  }),
  vendor({
    name: 'perplexity',
    baseUrl: 'https://api.perplexity.ai',
    keyEnv: ['PERPLEXITY_API_KEY', 'PPLX_API_KEY'],
    model: 'sonar-pro',
    cheapestModel: 'sonar',
    keyUrl: 'https://www.perplexity.ai/account/api',
  }),
  vendor({
    name: 'moonshot',
    aliases: ['kimi'],
    baseUrl: 'https://api.moonshot.ai/v1',
    keyEnv: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
    model: 'kimi-k3',
    cheapestModel: 'kimi-k2.6',
    keyUrl: 'https://platform.kimi.ai/console/api-keys',
  }),
  vendor({
    name: 'zai',
    aliases: ['z.ai'],
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyEnv: ['ZAI_API_KEY', 'ZHIPUAI_API_KEY'],
    model: 'glm-5.3',
    cheapestModel: 'glm-4.7-flash',
    keyUrl: 'https://z.ai/manage-apikey/apikey-list',
  }),
  vendor({
    name: 'alibaba',
    aliases: ['qwen', 'dashscope'],
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyEnv: ['DASHSCOPE_API_KEY', 'ALIBABA_API_KEY'],
    model: 'qwen-plus',
    cheapestModel: 'qwen-flash',
    embeddingModel: 'text-embedding-v4',
    keyUrl: 'https://modelstudio.console.alibabacloud.com',
  }),
  vendor({
    name: 'github-models',
    aliases: ['github'],
    baseUrl: 'https://models.github.ai/inference',
    keyEnv: ['GITHUB_TOKEN'],
    model: 'openai/gpt-4.1',
    cheapestModel: 'openai/gpt-4.1-nano',
    retired: '2026-07-30',
  }),
  server({
    name: 'lmstudio',
    aliases: ['lm-studio'],
    baseUrl: 'http://localhost:1234/v1',
    baseUrlEnv: ['LMSTUDIO_URL'],
    keyEnv: ['LMSTUDIO_API_KEY'],
    model: 'local-model',
  }),
  server({
    name: 'llamacpp-server',
    aliases: ['llama-server'],
    baseUrl: 'http://localhost:8080',
    keyEnv: ['LLAMA_API_KEY'],
    model: 'gemma4:e4b',
  }),
  server({ name: 'vllm', baseUrl: 'http://localhost:8000/v1', keyEnv: ['VLLM_API_KEY'] }),
]
