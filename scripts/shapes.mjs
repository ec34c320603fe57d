// Writes the shapes of requests that the servers of the tests check, from the types of packages that describe the wire:
// `node scripts/shapes.mjs`. Run it after such a package has a new version; a test says when.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createGenerator } from 'ts-json-schema-generator'
import { root } from './workspaces.mjs'

const folder = join(root, 'test/doubles/shapes')

/** File of shapes → the package that describes them, and of each shape the type and the module that has it. */
export const shapeSources = {
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
}

/** Version of an installed package. */
export const versionOf = (name) =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version

const compilerOptions = {
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  strict: true,
  skipLibCheck: true,
  types: [],
}

/** The shapes of one file, a definition a line. */
function writeShapes(name, { from, shapes }) {
  const scratch = mkdtempSync(join(root, 'node_modules/.shapes-'))
  try {
    const path = join(scratch, 'entry.ts')
    const lines = Object.entries(shapes).map(
      ([shape, [type, module]]) =>
        `import type { ${type} as ${shape}_ } from '${module ? `${from}/${module}` : from}'\nexport type ${shape} = ${shape}_\n`,
    )
    writeFileSync(path, lines.join(''))
    const tsconfig = join(scratch, 'tsconfig.json')
    writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: ['entry.ts'] }))
    const { definitions } = createGenerator({
      path,
      tsconfig,
      type: '*',
      additionalProperties: false,
      jsDoc: 'none',
      skipTypeCheck: true,
      expose: 'all',
      encodeRefs: false,
    }).createSchema('*')
    const rows = Object.entries(definitions).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
    const head = `"$id":"${name}","source":"the types of ${from} ${versionOf(from)}"`
    return `{${head},"definitions":{\n${rows.join(',\n')}\n}}\n`
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [name, source] of Object.entries(shapeSources)) {
    const text = writeShapes(name, source)
    writeFileSync(join(folder, `${name}.json`), text)
    console.log(`${name}: ${text.length} bytes`)
  }
}
