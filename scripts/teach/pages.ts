// Which pages each package carries, besides the page of its exports: those that explain what a
// program does with this package.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Exception } from '../exception.ts'
import { root } from '../workspaces.ts'

type Paths = readonly string[]

const guides = (...names: Paths): Paths => names.map((name) => `docs/guides/${name}.md`)
const pages = (...names: Paths): Paths => names.map((name) => `docs/${name}.md`)

const providers = (...names: Paths): Paths => names.map((name) => `docs/providers/${name}.md`)

/** Vendors with a page. Those without a package of their own are presets, which one package has. */
const vendors = readdirSync(join(root, 'docs/providers')).map((name) => name.replace(/\.md$/, ''))
const compatible = 'openai-compatible'
const withPackage = vendors.filter(
  (name) => name !== compatible && existsSync(join(root, `packages/provider-${name}`)),
)
const presets = vendors.filter((name) => !withPackage.includes(name))

/** Pages that each package carries, by its short name: paths in the repository. */
export const carried: Readonly<Record<string, Paths>> = {
  core: [
    ...guides(
      'first-stream',
      'call-options',
      'messages',
      'reasoning',
      'prompt-caching',
      'from-ai-sdk',
      'from-langchain',
      'from-openai-agents',
      'small-local-models',
      'middleware',
      'telemetry',
      'structured-output',
    ),
    ...pages('which-function', 'errors', 'runtimes', 'semver', 'not-here'),
  ],
  driver: [...pages('custom-provider', 'contract'), ...guides('connections', 'vendor-endpoints')],
  conformance: pages('client-suite', 'custom-provider', 'contract', 'testing'),
  'provider-mock': pages('testing'),
  ...Object.fromEntries(withPackage.map((name) => [`provider-${name}`, providers(name)])),
  [`provider-${compatible}`]: providers(...presets),
  'chat-completions': pages('custom-provider'),
  catalog: providers(...presets),
  factory: [
    ...pages('configuration', 'hosts'),
    ...guides('connections', 'batches', 'embeddings', 'files', 'deployment', 'sandboxing'),
  ],
  runtime: [...pages('runtime', 'tools', 'budgets', 'history'), ...guides('tools')],
  dialog: [...pages('dialog'), ...guides('prompt-to-value', 'from-lllm')],
  agent: [...pages('agent'), ...guides('first-agent', 'approvals', 'agent-security')],
  serve: [
    ...pages('agent'),
    ...guides('first-agent', 'agent-security', 'signed-cards', 'wire-mapping'),
  ],
  durable: [
    ...pages('durable'),
    ...guides('agent-that-survives', 'chat-that-survives', 'approve-tomorrow', 'engines'),
  ],
  'ai-sdk': guides('from-ai-sdk', 'browser-streaming', 'nextjs'),
  mcp: guides('mcp', 'mcp-server', 'mcp-trust'),
  compat: [...pages('compat'), ...guides('from-lllm')],
  studio: pages('studio'),
  cli: pages('cli', 'studio'),
}

/** Pages that no package carries, with the reason. */
export const notCarried: readonly Exception[] = [
  { where: 'docs/README.md', why: 'the menu of the repository' },
  { where: 'docs/architecture.md', why: 'for those who change modelport' },
  { where: 'docs/compare.md', why: 'results about other libraries' },
  { where: 'docs/performance.md', why: 'for those who measure modelport' },
]
