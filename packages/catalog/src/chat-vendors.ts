// Written from the files of ./vendors: pnpm vendors
import type { ChatVendor } from './vendor.js'
import { alibaba } from './vendors/alibaba.js'
import { cerebras } from './vendors/cerebras.js'
import { deepseek } from './vendors/deepseek.js'
import { fireworks } from './vendors/fireworks.js'
import { githubModels } from './vendors/github-models.js'
import { grok } from './vendors/grok.js'
import { groq } from './vendors/groq.js'
import { huggingface } from './vendors/huggingface.js'
import { llamacppServer } from './vendors/llamacpp-server.js'
import { lmstudio } from './vendors/lmstudio.js'
import { mistral } from './vendors/mistral.js'
import { moonshot } from './vendors/moonshot.js'
import { openaiCompatible } from './vendors/openai-compatible.js'
import { openrouter } from './vendors/openrouter.js'
import { perplexity } from './vendors/perplexity.js'
import { together } from './vendors/together.js'
import { vllm } from './vendors/vllm.js'
import { zai } from './vendors/zai.js'

/** Name of a vendor that speaks Chat Completions. */
export type ChatVendorName =
  | 'alibaba'
  | 'cerebras'
  | 'deepseek'
  | 'fireworks'
  | 'github-models'
  | 'grok'
  | 'groq'
  | 'huggingface'
  | 'llamacpp-server'
  | 'lmstudio'
  | 'mistral'
  | 'moonshot'
  | 'openai-compatible'
  | 'openrouter'
  | 'perplexity'
  | 'together'
  | 'vllm'
  | 'zai'

/** Vendors and servers that speak Chat Completions, by name. */
export const chatVendors: Readonly<Record<ChatVendorName, ChatVendor>> = {
  alibaba,
  cerebras,
  deepseek,
  fireworks,
  'github-models': githubModels,
  grok,
  groq,
  huggingface,
  'llamacpp-server': llamacppServer,
  lmstudio,
  mistral,
  moonshot,
  'openai-compatible': openaiCompatible,
  openrouter,
  perplexity,
  together,
  vllm,
  zai,
}
