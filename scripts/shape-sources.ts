// The packages that describe the wire, from whose types `scripts/shapes.mjs` writes the shapes of
// requests that the servers of the tests check.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspaces.ts'

/** What one file of shapes is written from. */
interface ShapeSource {
  /** The package. */
  readonly from: string
  /** The folder that has it installed. Default: the root. */
  readonly at?: string
  /** The type of each shape, and the module that has it, if the package's entry has not. */
  readonly shapes?: Readonly<Record<string, readonly [type: string, module?: string]>>
  /** The schema of each shape, for a package that has its schemas as data. */
  readonly schemas?: Readonly<Record<string, string>>
}

/** What each file of shapes is written from. */
export const shapeSources: Readonly<Record<string, ShapeSource>> = {
  openai: {
    from: 'openai',
    shapes: {
      responses: ['ResponseCreateParams', 'resources/responses/responses'],
      inputTokens: ['InputTokenCountParams', 'resources/responses/input-tokens'],
      chat: ['ChatCompletionCreateParams', 'resources/chat/completions/completions'],
      embeddings: ['EmbeddingCreateParams', 'resources/embeddings'],
      batches: ['BatchCreateParams', 'resources/batches'],
    },
  },
  anthropic: {
    from: '@anthropic-ai/sdk',
    shapes: {
      messages: ['MessageCreateParams', 'resources/messages/messages'],
      countTokens: ['MessageCountTokensParams', 'resources/messages/messages'],
      batches: ['BatchCreateParams', 'resources/messages/batches'],
    },
  },
  'anthropic-beta': {
    from: '@anthropic-ai/sdk',
    shapes: { messages: ['MessageCreateParams', 'resources/beta/messages/messages'] },
  },
  ollama: { from: 'ollama', shapes: { chat: ['ChatRequest'], embed: ['EmbedRequest'] } },
  // The package has its schemas as data, from which it writes requests.
  bedrock: {
    from: '@aws-sdk/client-bedrock-runtime',
    at: 'packages/provider-bedrock',
    schemas: { converse: 'ConverseRequest', converseStream: 'ConverseStreamRequest' },
  },
}

/** Version of a package that is installed, for all packages or for the one `at` a folder. */
export function versionOf(name: string, at = ''): string {
  const file = join(root, at, 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}
