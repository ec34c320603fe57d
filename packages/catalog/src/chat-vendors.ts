// Written from the files of ./vendors: pnpm vendors
import type { ChatVendor, VendorNotes } from './vendor.js'
import { alibaba, alibabaNotes } from './vendors/alibaba.js'
import { cerebras, cerebrasNotes } from './vendors/cerebras.js'
import { deepseek, deepseekNotes } from './vendors/deepseek.js'
import { fireworks, fireworksNotes } from './vendors/fireworks.js'
import { githubModels, githubModelsNotes } from './vendors/github-models.js'
import { grok, grokNotes } from './vendors/grok.js'
import { groq, groqNotes } from './vendors/groq.js'
import { huggingface, huggingfaceNotes } from './vendors/huggingface.js'
import { llamacppServer, llamacppServerNotes } from './vendors/llamacpp-server.js'
import { lmstudio, lmstudioNotes } from './vendors/lmstudio.js'
import { mistral, mistralNotes } from './vendors/mistral.js'
import { moonshot, moonshotNotes } from './vendors/moonshot.js'
import { openaiCompatible, openaiCompatibleNotes } from './vendors/openai-compatible.js'
import { openrouter, openrouterNotes } from './vendors/openrouter.js'
import { perplexity, perplexityNotes } from './vendors/perplexity.js'
import { together, togetherNotes } from './vendors/together.js'
import { vllm, vllmNotes } from './vendors/vllm.js'
import { zai, zaiNotes } from './vendors/zai.js'

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

/** What the pages of these vendors say beyond their data. */
export const chatVendorNotes: Readonly<Record<ChatVendorName, VendorNotes>> = {
  alibaba: alibabaNotes,
  cerebras: cerebrasNotes,
  deepseek: deepseekNotes,
  fireworks: fireworksNotes,
  'github-models': githubModelsNotes,
  grok: grokNotes,
  groq: groqNotes,
  huggingface: huggingfaceNotes,
  'llamacpp-server': llamacppServerNotes,
  lmstudio: lmstudioNotes,
  mistral: mistralNotes,
  moonshot: moonshotNotes,
  'openai-compatible': openaiCompatibleNotes,
  openrouter: openrouterNotes,
  perplexity: perplexityNotes,
  together: togetherNotes,
  vllm: vllmNotes,
  zai: zaiNotes,
}
