// Written from the files of ../src/vendors: pnpm vendors
import type { ChatVendorName } from '../src/chat-vendors.js'
import type { VendorNotes } from '../src/vendor.js'
import { alibabaNotes } from '../src/vendors/alibaba.js'
import { cerebrasNotes } from '../src/vendors/cerebras.js'
import { deepseekNotes } from '../src/vendors/deepseek.js'
import { fireworksNotes } from '../src/vendors/fireworks.js'
import { githubModelsNotes } from '../src/vendors/github-models.js'
import { grokNotes } from '../src/vendors/grok.js'
import { groqNotes } from '../src/vendors/groq.js'
import { huggingfaceNotes } from '../src/vendors/huggingface.js'
import { llamacppServerNotes } from '../src/vendors/llamacpp-server.js'
import { lmstudioNotes } from '../src/vendors/lmstudio.js'
import { mistralNotes } from '../src/vendors/mistral.js'
import { moonshotNotes } from '../src/vendors/moonshot.js'
import { openaiCompatibleNotes } from '../src/vendors/openai-compatible.js'
import { openrouterNotes } from '../src/vendors/openrouter.js'
import { perplexityNotes } from '../src/vendors/perplexity.js'
import { togetherNotes } from '../src/vendors/together.js'
import { vllmNotes } from '../src/vendors/vllm.js'
import { zaiNotes } from '../src/vendors/zai.js'

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
