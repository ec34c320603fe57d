// Written from the files of ./vendors: pnpm vendors
import { chatVendors } from './chat-vendors.js'
import type { Vendor } from './vendor.js'
import { anthropic } from './vendors/anthropic.js'
import { azureOpenai } from './vendors/azure-openai.js'
import { bedrock } from './vendors/bedrock.js'
import { google } from './vendors/google.js'
import { llamacpp } from './vendors/llamacpp.js'
import { ollama } from './vendors/ollama.js'
import { openai } from './vendors/openai.js'
import { vertex } from './vendors/vertex.js'

/** Every vendor, those with an API of their own first. */
export const vendors: readonly Vendor[] = [
  anthropic,
  azureOpenai,
  bedrock,
  google,
  llamacpp,
  ollama,
  openai,
  vertex,
  ...Object.values(chatVendors),
]
