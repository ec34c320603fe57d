// Which functions and methods ask a model, by the reports of the public interfaces and by
// docs/which-function.md: each is in a row of the grid, or in the list below.
import type { Exception } from '../../scripts/exception.ts'
import { readText } from '../support/repository.js'

const packages = [
  'runtime',
  'runtime-opentelemetry',
  'runtime-ui',
  'dialog',
  'agent',
  'serve',
  'serve-node',
  'factory',
  'durable',
  'ai-sdk',
]
/** Whoever takes one of these can ask a model. */
const asking =
  /: (?:readonly )?(?:Provider|Panelist\[\]|readonly Provider\[\]|CallerSettings|AgentSettings|AgentSetup|Agent|readonly Agent\[\]|AgentClient|ModelConfig(?: \| string)?|ModelPool|RunEvents)(?=[,;)\s])/
/** Interfaces whose methods do. */
const interfaces: Readonly<Record<string, string>> = {
  Provider: 'core',
  BatchRunner: 'core',
  DialogCaller: 'dialog',
  AgentClient: 'agent',
}

const reportOf = (name: string): string =>
  readText(`packages/${name.replace(/-(opentelemetry|ui|node)$/, '')}/api/${name}.api.md`)

/** Exported functions that take what asks a model, and methods of what asks one. */
export function publicEntries(): readonly string[] {
  const functions = packages.flatMap((name) =>
    [...reportOf(name).matchAll(/^export (?:function|const) (\w+)([^]*?);\n(?=\n|\/\/)/gm)].flatMap(
      ([, entry = '', rest = '']) =>
        asking.test(rest.replace(/: Promise<[^]*$/, '')) ? [entry] : [],
    ),
  )
  const methods = Object.entries(interfaces).flatMap(([name, from]) => {
    const body =
      new RegExp(`^export interface ${name} \\{\\n([^]*?)^\\}`, 'm').exec(reportOf(from))?.[1] ?? ''
    return [...body.matchAll(/^ {4}(\w+)[<(]/gm)].map(([, method = '']) => `${name}.${method}`)
  })
  return [...new Set([...functions, ...methods])].sort()
}

/** What the first table of docs/which-function.md calls, by the last part of the name. */
export function documentedEntries(): readonly string[] {
  const [table = ''] = readText('docs/which-function.md').split('\n## ')
  const cells = table
    .split('\n')
    .flatMap((line) => (line.startsWith('| ') ? [line.split(' | ')[1] ?? ''] : []))
  const code = cells.flatMap((cell) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
  )
  const names = code.flatMap((text) =>
    /^\w+$/.test(text) ? [text] : [...text.matchAll(/(\w+)\(/g)].map(([, name = '']) => name),
  )
  return [...new Set(names)].sort()
}

/** What has no row, and why. */
export const withoutRow: readonly Exception[] = [
  { where: 'Provider.estimateTokens', why: 'asks nobody' },
  {
    where: 'BatchRunner.cancelBatch',
    why: 'the kit has it for each vendor: test/support/batch-conformance.ts',
  },
  { where: 'DialogCaller.open', why: 'asks nobody' },
  { where: 'AgentClient.hosts', why: 'asks nobody' },
  { where: 'AgentClient.card', why: 'asks no model' },
  { where: 'AgentClient.extendedCard', why: 'asks no model' },
  { where: 'AgentClient.get', why: 'asks no model' },
  { where: 'AgentClient.list', why: 'asks no model' },
  { where: 'AgentClient.cancel', why: 'asks no model' },
  { where: 'AgentClient.forget', why: 'asks no model' },
  { where: 'AgentClient.deliver', why: 'asks no model' },
  { where: 'AgentClient.subscribe', why: 'shows what send started' },
  { where: 'AgentClient.decide', why: 'continues what send started' },
  { where: 'createAgentServer', why: 'behind createLocalClient and serve' },
  {
    where: 'serveMcp',
    why: 'serves tools and agents to the models of others: packages/mcp/test/serve',
  },
  { where: 'chatRoutes', why: 'an agent behind useChat: packages/durable/test/chat.test.ts' },
  {
    where: 'of',
    why: 'makes a budget that an option of infer takes: packages/durable/test/budgets.test.ts',
  },
  {
    where: 'withBudget',
    why: 'a provider with a budget: packages/runtime/test/with-budget.test.ts',
  },
  { where: 'toUiMessageStream', why: 'behind toUiMessageResponse' },
  {
    where: 'toAgUiEvents',
    why: 'the events of a run in another form: packages/runtime/test/ag-ui.test.ts',
  },
  { where: 'authorize', why: 'an option of infer that asks the application' },
  { where: 'handoffs', why: 'an option of infer, which asks the model' },
  { where: 'policy', why: 'an option of agents that asks nobody' },
  { where: 'studio', why: 'a command: packages/studio/test' },
  { where: 'apiHost', why: 'asks nobody' },
  { where: 'apiHosts', why: 'asks nobody' },
  { where: 'resolveModel', why: 'asks nobody' },
  { where: 'parseModel', why: 'asks nobody' },
  { where: 'readConfigFile', why: 'asks nobody' },
  { where: 'listModels', why: 'asks for a list: test/other-endpoints.test.ts' },
  { where: 'newFileStore', why: 'asks no model: test/files.test.ts' },
  { where: 'upload', why: 'asks no model: test/files.test.ts' },
  { where: 'newEmbedder', why: 'asks another endpoint: test/counts.test.ts' },
  { where: 'embed', why: 'asks another endpoint: test/counts.test.ts' },
  {
    where: 'toEmbeddingModel',
    why: 'asks another endpoint: packages/ai-sdk/test/generate-text.test.ts',
  },
  {
    where: 'mcpTools',
    why: 'tools like any others for the model: packages/mcp/test/tools.test.ts',
  },
  { where: 'createMock', why: 'plays a model' },
  { where: 'cassetteFetch', why: 'plays a server' },
  { where: 'seed', why: 'starts a dialog' },
  { where: 'send', why: 'adds to a dialog, or is AgentClient.send' },
  { where: 'request', why: 'makes a request of what is stored' },
]
