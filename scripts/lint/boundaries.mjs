import { readdirSync } from 'node:fs'

// Who may import what: the one table behind the lint rule, its test, and the package manifests.
//
// `package`   folder under packages/; `*` matches the rest of a name
// `file`      only this file of the package, by name without folder; such a row replaces the package's row for that file
// `imports`   packages it may import, subpaths included
// `builtins`  may import `node:` modules
// `computed`  may import() a specifier that is not a literal
// `forbidden` what the test plants to prove that the row bites
export const boundaries = [
  { package: 'core', imports: [], forbidden: ['undici', 'node:fs', '@modelport/driver'] },

  { package: 'driver', imports: ['@modelport/core'], forbidden: ['undici', 'node:http', '@modelport/conformance'] },
  {
    package: 'driver',
    file: 'undici-transport.ts',
    imports: ['@modelport/core', 'undici'],
    builtins: true,
    forbidden: ['openai', '@modelport/factory'],
  },
  {
    package: 'driver',
    file: 'undici-body.ts',
    imports: ['@modelport/core', 'undici'],
    builtins: true,
    forbidden: ['openai', '@modelport/factory'],
  },
  {
    package: 'driver',
    file: 'undici-connects.ts',
    imports: ['@modelport/core', 'undici'],
    builtins: true,
    forbidden: ['openai', '@modelport/factory'],
  },

  // The Chat Completions dialect, for every provider that speaks it: one decoder per protocol.
  {
    package: 'chat-completions',
    imports: ['@modelport/core', '@modelport/driver'],
    forbidden: ['openai', 'undici', 'node:fs', '@modelport/provider-openai-compatible'],
  },

  // Data only: the types of the dialect are all it takes from other packages.
  {
    package: 'catalog',
    imports: ['@modelport/core', '@modelport/chat-completions'],
    forbidden: ['@modelport/driver', 'undici', 'node:fs', '@modelport/provider-openai-compatible'],
  },

  {
    package: 'provider-anthropic',
    imports: ['@modelport/core', '@modelport/driver', '@anthropic-ai/sdk'],
    forbidden: ['openai', 'undici', 'node:fs', '@modelport/factory'],
  },
  {
    package: 'provider-openai',
    imports: ['@modelport/core', '@modelport/driver', '@modelport/chat-completions', 'openai'],
    forbidden: ['@anthropic-ai/sdk', 'undici', 'node:fs', '@modelport/runtime'],
  },
  {
    package: 'provider-google',
    imports: ['@modelport/core', '@modelport/driver', '@google/genai'],
    forbidden: ['openai', 'undici', 'node:fs', '@modelport/factory'],
  },
  {
    package: 'provider-ollama',
    imports: ['@modelport/core', '@modelport/driver'],
    forbidden: ['ollama', 'undici', 'node:fs', '@modelport/provider-openai'],
  },
  {
    package: 'provider-openai-compatible',
    imports: ['@modelport/core', '@modelport/driver', '@modelport/chat-completions', '@modelport/catalog'],
    forbidden: ['openai', 'undici', 'node:fs', '@modelport/provider-openai'],
  },
  {
    package: 'provider-llamacpp',
    imports: ['@modelport/core', '@modelport/driver', 'node-llama-cpp', '@huggingface/jinja'],
    builtins: true,
    forbidden: ['openai', 'undici', '@modelport/factory'],
  },
  {
    package: 'provider-mock',
    imports: ['@modelport/core', '@modelport/driver'],
    forbidden: ['vitest', 'node:fs', '@modelport/conformance'],
  },
  {
    package: 'provider-mock',
    file: 'node.ts',
    imports: ['@modelport/core', '@modelport/driver'],
    builtins: true,
    forbidden: ['vitest', 'undici', '@modelport/conformance'],
  },

  {
    package: 'conformance',
    imports: ['@modelport/core', '@modelport/driver'],
    forbidden: ['vitest', 'node:http', '@modelport/provider-mock'],
  },
  {
    package: 'conformance',
    file: 'sinks.ts',
    imports: ['@modelport/core', '@modelport/driver'],
    builtins: true,
    forbidden: ['vitest'],
  },
  {
    package: 'conformance',
    file: 'wire-server*.ts',
    imports: ['@modelport/core', '@modelport/driver'],
    builtins: true,
    forbidden: ['vitest', '@modelport/provider-mock'],
  },

  {
    package: 'factory',
    imports: ['@modelport/core', '@modelport/catalog', 'zod', 'yaml'],
    builtins: true,
    forbidden: ['openai', '@modelport/driver', '@modelport/provider-openai', '@modelport/runtime'],
  },
  {
    package: 'factory',
    file: 'load-creators.ts',
    imports: ['@modelport/core', '@modelport/catalog', 'zod', 'yaml'],
    dynamicImports: ['@modelport/provider-*'],
    computed: true,
    builtins: true,
    forbidden: ['openai', '@modelport/driver'],
  },
  // Imports a package that the caller names.
  {
    package: 'factory',
    file: 'node.ts',
    imports: ['@modelport/core', '@modelport/catalog', 'zod', 'yaml'],
    computed: true,
    builtins: true,
    forbidden: ['openai', '@modelport/driver'],
  },

  {
    package: 'sandbox',
    imports: ['@modelport/core', '@modelport/factory'],
    forbidden: ['@modelport/driver', '@modelport/runtime', '@modelport/provider-openai', 'node:fs'],
  },

  {
    package: 'runtime',
    imports: [
      '@modelport/core',
      'zod',
      '@cfworker/json-schema',
      '@standard-schema/spec',
      '@modelcontextprotocol/sdk',
      '@noble/hashes',
      '@opentelemetry/api',
      'eventsource-parser',
    ],
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/provider-openai', 'node:fs'],
  },
  {
    package: 'dialog',
    imports: [
      '@modelport/core',
      '@modelport/runtime',
      'zod',
      '@standard-schema/spec',
      '@noble/hashes',
      'smol-toml',
      'yaml',
    ],
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/agent', 'node:fs'],
  },
  {
    package: 'dialog',
    file: 'node*.ts',
    imports: ['@modelport/core', '@modelport/runtime'],
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/factory', 'undici'],
  },
  {
    package: 'agent',
    imports: ['@modelport/core', '@modelport/runtime'],
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/dialog', '@modelport/serve', 'hono', 'node:fs'],
  },
  {
    package: 'serve',
    imports: ['@modelport/core', '@modelport/runtime', '@modelport/agent', 'jose', 'eventsource-parser'],
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/durable', '@modelport/compat', 'node:fs'],
  },
  // Sockets: the server of Node, and requests whose address is checked when the connection is made.
  {
    package: 'serve',
    file: 'node*.ts',
    imports: ['@modelport/core', '@modelport/runtime', '@modelport/agent', '@hono/node-server', 'hono', 'jose'],
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/durable'],
  },
  {
    package: 'durable',
    imports: ['@modelport/core', '@modelport/runtime', '@modelport/agent', 'postgres', 'zod'],
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/dialog', '@modelport/studio'],
  },
  // All lineage of other systems. Only the command line imports it.
  {
    package: 'compat',
    imports: ['@modelport/core', '@modelport/runtime', '@modelport/agent', '@modelport/serve'],
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/durable', 'node:fs'],
  },
  {
    package: 'studio',
    imports: [
      '@modelport/agent',
      '@modelport/core',
      '@modelport/runtime',
      '@modelport/provider-mock',
      'preact',
      '@preact/signals',
      'marked',
      'dompurify',
      'zod',
    ],
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/cli', 'node:fs'],
  },
  ...['node.ts', 'file-store.ts', 'journal-tables.ts', 'heartbeat.ts', 'run-owners.ts', 'serve-studio.ts'].map(
    (file) => ({
      package: 'studio',
      file,
      imports: ['@modelport/core', '@hono/node-server', 'hono'],
      builtins: true,
      forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/cli'],
    }),
  ),
  {
    package: 'cli',
    imports: [
      '@modelport/agent',
      '@modelport/compat',
      '@modelport/serve',
      '@modelport/core',
      '@modelport/dialog',
      '@modelport/durable',
      '@modelport/factory',
      '@modelport/runtime',
      '@modelport/sandbox',
      '@modelport/provider-mock',
      '@modelport/studio',
      '@clack/prompts',
      'commander',
      'fast-string-width',
      'fast-wrap-ansi',
      'yaml',
    ],
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/provider-openai', 'postgres'],
  },
  {
    package: 'cli',
    file: 'secrets.ts',
    imports: ['@modelport/driver', '@modelport/factory'],
    builtins: true,
    forbidden: ['@modelport/provider-openai', '@modelport/agent'],
  },
  {
    package: 'cli',
    file: 'without-secrets.ts',
    imports: ['@modelport/driver'],
    builtins: true,
    forbidden: ['@modelport/factory', '@modelport/agent'],
  },
  {
    package: 'cli',
    file: 'tool-module.ts',
    imports: ['@modelport/core', '@modelport/runtime'],
    computed: true,
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/agent', '@modelport/factory'],
  },
  {
    package: 'cli',
    file: 'agent-module.ts',
    imports: ['@modelport/core', '@modelport/agent'],
    computed: true,
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/factory'],
  },
]

// The folders of a package, lowest row first: a folder imports from rows below its own, never from one in its own row or above.
// `index.ts` and other files outside of folders may import everything, and no folder imports them.
export const folderOrders = {
  driver: [
    ['base'],
    ['framing', 'failure'],
    ['turn', 'config'],
    ['transport'],
    ['call'],
    ['exchange'],
    ['reader'],
    ['provider'],
  ],
  runtime: [
    ['base'],
    ['schema', 'budget', 'middleware'],
    ['history', 'tools'],
    ['reply', 'mcp'],
    ['policy', 'output'],
    ['journal'],
    ['events'],
    ['loop'],
    ['telemetry', 'ui'],
  ],
  dialog: [
    ['base'],
    ['parse', 'card', 'vendor'],
    ['prompt'],
    ['dialog'],
    ['call'],
    ['classify'],
    ['caller'],
    ['agents', 'node'],
  ],
  agent: [['base'], ['models'], ['session'], ['run'], ['client']],
  serve: [
    ['base'],
    ['wire'],
    ['connection'],
    ['a2a'],
    ['a2a-v03', 'chat-completions', 'push', 'ag-ui'],
    ['server', 'client'],
  ],
  durable: [['database'], ['runs'], ['agents'], ['operate'], ['store'], ['sqlite', 'postgres']],
  studio: [['protocol'], ['server', 'page'], ['node']],
  factory: [['base', 'fallback'], ['config'], ['providers'], ['resolve'], ['create', 'file'], ['connection']],
  cli: [
    ['terminal'],
    ['errors'],
    ['files'],
    ['context'],
    ['models', 'tools'],
    ['secrets', 'agents'],
    ['session', 'doctor', 'init', 'studio'],
    ['recording'],
    ['chat'],
    ['commands'],
    ['program'],
  ],
}

// Packages that know no vendor: handed a Provider, or building one from parts.
export const vendorNeutral = ['core', 'driver', 'runtime', 'dialog', 'agent', 'serve', 'durable', 'studio']

// Other systems, whose names, presets and wires are in compat; matched like `vendorNames`.
export const foreignNames = ['openparallax', 'protolink', 'xaibo', 'lllm']

// Packages that know no other system.
export const foreignNeutral = [
  'core',
  'driver',
  'catalog',
  'chat-completions',
  'provider-*',
  'conformance',
  'sandbox',
  'runtime',
  'durable',
]

const vendorFolder = new URL('../../packages/catalog/src/vendors/', import.meta.url)

/** Vendors of the catalog, but for those whose name is an English word. */
const catalogNames = readdirSync(vendorFolder)
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => !['together', 'perplexity'].includes(name))

// Matched without regard to case, anywhere in a source file of a vendor-neutral package, comments included.
export const vendorNames = [
  ...new Set([
    ...catalogNames,
    'claude',
    'gemini',
    'chatgpt',
    'gpt-',
    'lm studio',
    'llama.cpp',
    'llama-cpp',
    'azure',
    'bedrock',
    'cohere',
    'qwen',
  ]),
]
