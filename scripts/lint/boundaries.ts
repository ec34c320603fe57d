import { readdirSync } from 'node:fs'
import type { Exception } from '../exception.ts'
import { discoverWorkspaces, type Workspace } from '../workspaces.ts'

/** Who may import what: a row of the table behind the lint rule, its test, and the manifests. */
export interface Boundary {
  /** Folder under packages/; `*` matches the rest of a name. */
  readonly package: string
  /**
   * The row is for this file of the package alone, by name without folder, in place of the
   * package's own.
   */
  readonly file?: string
  /** Packages that it may import, subpaths included. */
  readonly imports: readonly string[]
  /** Packages that it may load late. */
  readonly dynamicImports?: readonly string[]
  /** It may import `node:` modules. */
  readonly builtins?: boolean
  /** It may import() a specifier that is not a literal. */
  readonly computed?: boolean
  /** What the test plants to prove that the row bites. */
  readonly forbidden: readonly string[]
}

/** Packages with a row below that says more than their manifest. */
const special: readonly string[] = ['provider-llamacpp', 'provider-mock']

/** What a provider package may import of this repository. */
const forProviders: readonly string[] = [
  '@modelport/catalog',
  '@modelport/chat-completions',
  '@modelport/core',
  '@modelport/driver',
]

/** What a manifest declares, but for packages of this repository that are not for providers. */
const declared = ({ manifest }: Workspace): readonly string[] =>
  Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
    (name) => !name.startsWith('@modelport/') || forProviders.includes(name),
  )

/** A provider package imports what its manifest declares: nothing else is said of it here. */
const vendorRows: readonly Boundary[] = discoverWorkspaces()
  .filter(({ shortName }) => shortName.startsWith('provider-') && !special.includes(shortName))
  .map((workspace) => ({
    package: workspace.shortName,
    imports: declared(workspace),
    forbidden: [
      'undici',
      'node:fs',
      'a-package-that-is-not-declared',
      '@modelport/factory',
      '@modelport/provider-mock',
    ],
  }))

/** Every row. */
export const boundaries: readonly Boundary[] = [
  { package: 'core', imports: [], forbidden: ['undici', 'node:fs', '@modelport/driver'] },

  {
    package: 'core',
    file: 'slot.ts',
    imports: [],
    builtins: true,
    forbidden: ['undici', '@modelport/driver'],
  },

  {
    package: 'driver',
    imports: ['@modelport/core'],
    forbidden: ['undici', 'node:http', '@modelport/conformance'],
  },
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
  {
    package: 'driver',
    file: 'undici-proxy.ts',
    imports: ['@modelport/core', 'undici'],
    builtins: true,
    forbidden: ['openai', '@modelport/factory'],
  },
  {
    package: 'driver',
    file: 'undici-files.d.ts',
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
  // An entry of its own: nothing else loads the list.
  {
    package: 'catalog',
    file: 'prices.ts',
    imports: ['@modelport/core', '@pydantic/genai-prices'],
    forbidden: ['@modelport/driver', 'undici', 'node:fs'],
  },

  ...vendorRows,
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
    imports: ['@modelport/core', '@modelport/driver', 'zod'],
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
    file: 'main.ts',
    imports: ['@modelport/core', '@modelport/driver'],
    builtins: true,
    forbidden: ['vitest', '@modelport/provider-mock'],
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
    imports: ['@modelport/core'],
    dynamicImports: ['@modelport/provider-*'],
    forbidden: ['openai', '@modelport/driver', 'node:fs'],
  },
  {
    package: 'factory',
    file: 'vendor-packages.ts',
    imports: [],
    dynamicImports: ['@modelport/provider-*'],
    forbidden: ['openai', '@modelport/driver', 'node:fs'],
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
    package: 'runtime',
    imports: [
      '@modelport/core',
      'zod',
      '@cfworker/json-schema',
      '@standard-schema/spec',
      '@noble/hashes',
      '@opentelemetry/api',
      'eventsource-parser',
    ],
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/provider-openai', 'node:fs'],
  },
  {
    package: 'runtime',
    file: 'json-hash.ts',
    imports: ['@noble/hashes'],
    builtins: true,
    forbidden: ['undici', '@modelport/driver'],
  },
  {
    package: 'dialog',
    imports: [
      '@modelport/core',
      '@modelport/runtime',
      'zod',
      '@standard-schema/spec',
      '@noble/hashes',
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
    imports: ['@modelport/core', '@modelport/runtime', '@noble/hashes'],
    forbidden: [
      '@modelport/driver',
      '@modelport/factory',
      '@modelport/dialog',
      '@modelport/serve',
      'hono',
      'node:fs',
    ],
  },
  {
    package: 'serve',
    imports: [
      '@modelport/core',
      '@modelport/runtime',
      '@modelport/agent',
      'jose',
      'eventsource-parser',
    ],
    forbidden: [
      '@modelport/driver',
      '@modelport/factory',
      '@modelport/durable',
      '@modelport/compat',
      'node:fs',
    ],
  },
  // Sockets: the server of Node, and requests whose address is checked when the connection is made.
  {
    package: 'serve',
    file: 'node*.ts',
    imports: [
      '@modelport/core',
      '@modelport/runtime',
      '@modelport/agent',
      '@hono/node-server',
      'hono',
      'jose',
    ],
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/durable'],
  },
  {
    package: 'durable',
    imports: ['@modelport/core', '@modelport/runtime', '@modelport/agent', 'postgres'],
    builtins: true,
    forbidden: [
      '@modelport/driver',
      '@modelport/factory',
      '@modelport/dialog',
      '@modelport/studio',
    ],
  },
  // All lineage of other systems. Only the command line imports it.
  {
    package: 'compat',
    imports: ['@modelport/core', '@modelport/runtime', '@modelport/agent', '@modelport/serve'],
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/durable', 'node:fs'],
  },
  // The AI SDK both ways: only types of it are imported, and no other package imports this one.
  {
    package: 'ai-sdk',
    imports: [
      '@modelport/core',
      '@modelport/driver',
      '@modelport/runtime',
      '@ai-sdk/provider',
      '@noble/hashes',
      '@standard-schema/spec',
    ],
    forbidden: [
      'ai',
      '@modelport/factory',
      '@modelport/provider-openai',
      '@modelport/compat',
      'node:fs',
    ],
  },
  // Servers of the Model Context Protocol, by its official client, which only this package knows.
  {
    package: 'mcp',
    imports: ['@modelport/core', '@modelport/runtime', '@modelcontextprotocol/client'],
    forbidden: ['@modelcontextprotocol/sdk', '@modelport/driver', '@modelport/agent', 'node:fs'],
  },
  // Tools and agents as such a server, by the official one.
  ...['serve-*.ts', 'served-*.ts'].map((file) => ({
    package: 'mcp',
    file,
    imports: [
      '@modelport/core',
      '@modelport/runtime',
      '@modelport/agent',
      '@modelcontextprotocol/server',
    ],
    forbidden: ['@modelcontextprotocol/sdk', '@modelport/driver', '@modelport/serve', 'node:fs'],
  })),
  {
    package: 'mcp',
    file: 'serve-stdio.ts',
    imports: ['@modelcontextprotocol/server'],
    builtins: true,
    forbidden: ['@modelcontextprotocol/sdk', '@modelport/driver', '@modelport/agent'],
  },
  {
    package: 'mcp',
    file: 'lock-file.ts',
    imports: ['@modelport/core'],
    builtins: true,
    forbidden: ['@modelcontextprotocol/client', '@modelport/runtime', '@modelport/driver'],
  },
  {
    package: 'studio',
    imports: [
      '@modelport/agent',
      '@modelport/core',
      '@modelport/runtime',
      '@modelport/provider-mock',
      '@bufbuild/protobuf',
      'preact',
      '@preact/signals',
      'marked',
      'dompurify',
      'highlight.js',
      'zod',
      'hono',
    ],
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/cli', 'node:fs'],
  },
  ...['attach.ts', 'address.ts', 'proof.ts', 'subscriptions.ts', 'uplink.ts'].map((file) => ({
    package: 'studio',
    file,
    imports: ['@modelport/core'],
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/runtime', 'hono'],
  })),
  ...[
    'node.ts',
    'file-store.ts',
    'forget-runs.ts',
    'journal-tables.ts',
    'heartbeat.ts',
    'run-index.ts',
    'run-owners.ts',
    'serve-studio.ts',
  ].map((file) => ({
    package: 'studio',
    file,
    imports: ['@modelport/core', '@hono/node-server', 'hono'],
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/factory', '@modelport/cli'],
  })),
  {
    package: 'cli',
    imports: [
      '@modelport/agent',
      '@modelport/serve',
      '@modelport/core',
      '@modelport/dialog',
      '@modelport/durable',
      '@modelport/factory',
      '@modelport/mcp',
      '@modelport/runtime',
      '@modelport/provider-mock',
      '@modelport/studio',
      '@clack/prompts',
      '@hono/node-server',
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
    file: 'price-list.ts',
    imports: ['@modelport/catalog'],
    forbidden: ['@modelport/driver', '@modelport/factory'],
  },
  {
    package: 'cli',
    file: 'secrets.ts',
    imports: ['@modelport/core', '@modelport/driver', '@modelport/factory'],
    builtins: true,
    forbidden: ['@modelport/provider-openai', '@modelport/agent'],
  },
  {
    package: 'cli',
    file: 'without-secrets.ts',
    imports: ['@modelport/core'],
    builtins: true,
    forbidden: ['@modelport/factory', '@modelport/agent'],
  },
  {
    package: 'cli',
    file: 'user-module.ts',
    imports: ['@modelport/core', '@modelport/factory'],
    computed: true,
    builtins: true,
    forbidden: ['@modelport/driver', '@modelport/agent'],
  },
]

// The folders of a package, or of one of its folders, lowest row first: a folder imports from rows
// below its own, never from one in its own row or above. `index.ts` and other files outside of
// folders may import everything, and no folder imports them. What each holds is in
// docs/architecture.md, written by `node scripts/folder-tables.ts --update`.
export const folders: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  driver: [
    { base: 'the interface of a driver; clocks, limits, JSON, and buffers of text and bytes' },
    {
      framing:
        'bytes to records: Server-Sent Events, JSON lines, lines of text, binary frames, one JSON body',
      failure: 'a failed response, connection or record as a typed error',
    },
    {
      turn: 'one turn: its history checked and fitted to the model, its tool calls collected, its reply recorded',
      config: 'settings of every provider, and what is refused in them',
    },
    {
      transport: 'the requests of Node, proxies, and a `fetch` that contacts only the listed hosts',
    },
    { call: 'one call: its options, limits and errors without keys' },
    { exchange: 'attempts, one request with its response, and the turns of a conversation' },
    { reader: 'the queue, the pump and the readers above a conversation' },
    {
      provider:
        'a driver made into a `Provider`, and what stands next to a turn: embeddings, batches, files, token counts',
    },
  ],
  runtime: [
    { base: 'text, checks of requests, waits: what every folder may use' },
    {
      schema: 'JSON Schema validation',
      budget: 'ledgers, reservations, what a call cost',
      middleware: 'wrapped providers and the readers of a turn',
    },
    {
      history: 'conversations, token counts, manifests, compaction',
      tools: 'tools, agents as targets, batches of calls',
    },
    { reply: 'prompts of the modes, a reply read as an action, corrections' },
    { policy: 'who may execute what', output: 'replies that fit a schema' },
    { journal: 'what a run stores: entries, checkpoints, resume decisions' },
    { events: 'what a run reports, and the names it has on the wire' },
    { loop: '`infer`: one run, from request to result' },
    {
      engines: 'runs on DBOS and Restate',
      telemetry: 'spans and metrics of a run',
      ui: 'streams for a page, which reads them as they come',
    },
  ],
  'runtime/loop': [
    {
      request: 'what a run is asked for: the request, its limits and presets, and what is refused',
    },
    {
      result: 'how a run ended, and the reader of its events',
      guards: 'what ends a run that gets nowhere',
    },
    { state: 'the parts of a run that change: conversation, models, tools, counts, checkpoints' },
    { calls: 'the calls of a step: decided, executed, recovered, recorded' },
    { model: 'one call of the model: its options, its context, its reply, a refusal of a field' },
    {
      run: 'one run from request to result, step by step',
      around: 'one action, flows, panels and budgets around a provider, without a run',
    },
  ],
  dialog: [
    { base: 'YAML with the places of its entries, and values as they are shown' },
    {
      parse: 'parsers: text, tags, JSON, choices',
      card: 'what a model can do, as a card',
      vendor: 'tools that a vendor executes, and forms filled in',
    },
    { prompt: 'prompts, their files and placeholders, the registry' },
    { dialog: 'a conversation as a tree, and how it is stored' },
    { call: 'the agent call: its states, limits, trace and typed error' },
    { classify: 'labels with probabilities, by logprobs or by votes' },
    { caller: 'prompts bound to a provider' },
    {
      agents: 'the agents of a system, made from plain data',
      node: 'prompts and reports in files',
    },
  ],
  agent: [
    { base: 'errors, ids, signals' },
    { models: 'cards, tasks, messages, parts and artifacts, as plain data' },
    { session: 'what a store keeps, in memory, and the rules of a store as cases' },
    { run: 'a task at work: policy, approvals, sub-agents, the host' },
    { client: 'the interface of every client, and the one of this process' },
  ],
  serve: [
    { base: 'foreign JSON, read field by field' },
    { wire: 'what a wire is written with: rows, requests, replies, streams' },
    { connection: 'requests to one agent: only to its origin, within limits' },
    { a2a: 'A2A 1.0: codecs, operations, both bindings' },
    { 'chat-completions': 'the agent as a model' },
    { server: 'the server and its own endpoints', client: 'the client of an address' },
  ],
  durable: [
    { database: 'the interface of a database, the schema, the codec of stored bodies' },
    { budgets: 'shared budgets: their rows, and the statements that take from them' },
    { runs: 'runs: leases, workers, journals, the queue of writes' },
    {
      agents: 'tasks and sessions of agents, the outbox and the inbox',
      chat: 'chats over sessions: their requests, and what a page gets',
    },
    { operate: 'pruning, and what an operator may do' },
    { store: 'the store that all of it is reached by' },
    { sqlite: 'a SQLite file in a thread of its own', postgres: 'a PostgreSQL server' },
  ],
  studio: [
    { protocol: 'what the page and the server say to each other' },
    { store: 'where runs are kept: SQLite, in a file or in memory' },
    {
      server: 'runs and sessions, behind one handler',
      page: 'the page, in six rooms: parts, link, setup, run, chat, find',
    },
    { node: 'the server of Node', attach: 'what shows a program in a studio' },
  ],
  factory: [
    {
      base: 'the environment, host entries, suggestions for misspelt names',
      fallback: 'a provider made of providers',
    },
    {
      sandbox: 'hosts to allow-lists, one writer per format; contacts nothing',
      clouds: 'a file per cloud: its field, address, credentials, the hosts and variables of both',
    },
    {
      config:
        '`ModelConfig`: its fields, `provider:model`, entries of a pool, the order of fallbacks',
    },
    {
      providers:
        'the table of providers, those in a cloud next to it, and the forms of `OLLAMA_HOST`',
    },
    { resolve: 'what a configuration means: row, address, key, headers, proxy, hosts' },
    {
      create: 'loads packages and creates providers and capabilities',
      file: 'reads and checks a YAML file',
    },
    { connection: 'the connection test and its diagnoses' },
  ],
  cli: [
    { terminal: 'input and output, colours, Markdown, progress' },
    { errors: 'exit codes, and how a failure is printed' },
    { files: 'private files, the key file, locations' },
    {
      context: '`Cli`, what every command works with; common options; consent to provider packages',
    },
    { models: 'models of the configuration', tools: 'tools from a module' },
    {
      secrets: 'keys removed from what is stored',
      agents: 'agents from a module or the configuration, the client of a remote agent',
    },
    {
      session: 'a prompt with its reply, saved sessions',
      doctor: 'checks',
      init: 'questions of `init`',
      studio: 'what `studio` shows',
    },
    { recording: 'chats written to a cassette and replayed' },
    { chat: 'the interactive chat' },
    { commands: 'one file per command' },
    { program: 'the options and arguments of each command; loads the command only when it runs' },
  ],
}

/** For a package, the names of its folders in rows: the order that lint holds. */
export const folderOrders: Readonly<Record<string, readonly (readonly string[])[]>> =
  Object.fromEntries(
    Object.entries(folders).map(([name, rows]) => [name, rows.map((row) => Object.keys(row))]),
  )

// Packages that know no vendor: handed a Provider, or building one from parts.
export const vendorNeutral: readonly string[] = [
  'core',
  'driver',
  'runtime',
  'dialog',
  'agent',
  'serve',
  'durable',
  'studio',
]

// Other systems, whose names, presets and data models are in compat. Matched like `vendorNames`;
// one in capitals as it is written.
export const foreignNames: readonly string[] = ['openparallax', 'protolink', 'xaibo', 'lllm', 'OP_']

// The only other sources that name one, each with its reason.
export const foreignExceptions: readonly Exception[] = [
  {
    where: 'packages/serve/src/a2a/task-codec.ts',
    why: 'the key of metadata with the type of a part, which Protolink reads',
  },
  {
    where: 'packages/cli/src/context/cli.ts',
    why: 'the command line looks variables up with OP_ too',
  },
]

const vendorFolder = new URL('../../packages/catalog/src/vendors/', import.meta.url)

/** Vendors of the catalog, but for those whose name is an English word. */
const catalogNames = readdirSync(vendorFolder)
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => !['together', 'perplexity'].includes(name))

// Matched without regard to case, anywhere in a source file of a vendor-neutral package, comments
// included.
export const vendorNames: readonly string[] = [
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
    'cohere',
    'qwen',
  ]),
]
