// Written from the files of ./vendors: pnpm vendors
import type { ModelFacts } from './vendor.js'
import { anthropicModels } from './vendors/anthropic.js'
import { googleModels } from './vendors/google.js'
import { groqModels } from './vendors/groq.js'
import { mistralModels } from './vendors/mistral.js'
import { openaiModels } from './vendors/openai.js'

/** Windows and prices of models, by vendor. Each row has its source and its date. */
export const vendorModels: Readonly<Record<string, readonly ModelFacts[]>> = {
  anthropic: anthropicModels,
  google: googleModels,
  groq: groqModels,
  mistral: mistralModels,
  openai: openaiModels,
}
