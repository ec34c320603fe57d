import { converseRules } from './rules/converse.ts'
import { geminiRules } from './rules/gemini.ts'
import { mediaRules } from './rules/media.ts'
import { messagesRules } from './rules/messages.ts'
import { ollamaRules } from './rules/ollama.ts'
import { openaiRules } from './rules/openai.ts'
import type { Rule } from './rules/rule.ts'
import { uploadRules } from './rules/uploads.ts'
import { vendorRules } from './rules/vendors.ts'

/** Every rule. */
export const rules: readonly Rule[] = [
  ...openaiRules,
  ...vendorRules,
  ...messagesRules,
  ...converseRules,
  ...geminiRules,
  ...ollamaRules,
  ...mediaRules,
  ...uploadRules,
]
