// Written from the files packages/provider-*/test/api.ts: pnpm vendors
import { apis as anthropic } from '../packages/provider-anthropic/test/api.js'
import { apis as bedrock } from '../packages/provider-bedrock/test/api.js'
import { apis as google } from '../packages/provider-google/test/api.js'
import { apis as ollama } from '../packages/provider-ollama/test/api.js'
import { apis as openai } from '../packages/provider-openai/test/api.js'
import { apis as openaiCompatible } from '../packages/provider-openai-compatible/test/api.js'
import type { TestedApi } from './support/tested-api.js'

/** Every API that is asked over a network. */
export const testedApis: readonly TestedApi[] = [
  ...anthropic,
  ...bedrock,
  ...google,
  ...ollama,
  ...openai,
  ...openaiCompatible,
]
