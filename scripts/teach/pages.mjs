// Which pages each package carries, besides the page of its exports: those that explain what a
// program does with this package.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../workspaces.mjs'

const guides = (...names) => names.map((name) => `docs/guides/${name}.md`)
const pages = (...names) => names.map((name) => `docs/${name}.md`)

/** The pages of vendors that have a package of their own. */
const ownPackage = ['anthropic', 'openai', 'google', 'ollama', 'llamacpp']
const presets = readdirSync(join(root, 'docs/providers'))
  .map((name) => name.replace(/\.md$/, ''))
  .filter((name) => !ownPackage.includes(name))
const providers = (...names) => names.map((name) => `docs/providers/${name}.md`)

export const carried = {
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
  driver: [...pages('custom-provider', 'contract'), ...guides('connections')],
  conformance: pages('custom-provider', 'contract', 'testing'),
  'provider-mock': pages('testing'),
  'provider-anthropic': providers('anthropic'),
  'provider-bedrock': providers('bedrock'),
  'provider-openai': providers('openai'),
  'provider-google': providers('google'),
  'provider-ollama': providers('ollama'),
  'provider-llamacpp': providers('llamacpp'),
  'provider-openai-compatible': providers(...presets),
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
  'ai-sdk': guides('from-ai-sdk', 'browser-streaming'),
  mcp: guides('mcp', 'mcp-server', 'mcp-trust'),
  compat: [...pages('compat'), ...guides('from-lllm')],
  studio: pages('studio'),
  cli: pages('cli', 'studio'),
}

/** Pages that no package carries, with the reason. */
export const notCarried = {
  'docs/README.md': 'the menu of the repository',
  'docs/architecture.md': 'for those who change modelport',
  'docs/compare.md': 'results about other libraries',
  'docs/performance.md': 'for those who measure modelport',
}
