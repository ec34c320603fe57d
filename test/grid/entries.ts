// Which functions and methods ask a model, by the reports of the public interfaces and by
// docs/which-function.md: each is in a row of the grid, or in the list below.
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
export const withoutRow: Readonly<Record<string, string>> = {
  'Provider.estimateTokens': 'asks nobody',
  'BatchRunner.cancelBatch': 'the kit has it for each vendor: test/support/batch-conformance.ts',
  'DialogCaller.open': 'asks nobody',
  'AgentClient.hosts': 'asks nobody',
  'AgentClient.card': 'asks no model',
  'AgentClient.extendedCard': 'asks no model',
  'AgentClient.get': 'asks no model',
  'AgentClient.list': 'asks no model',
  'AgentClient.cancel': 'asks no model',
  'AgentClient.forget': 'asks no model',
  'AgentClient.deliver': 'asks no model',
  'AgentClient.subscribe': 'shows what send started',
  'AgentClient.decide': 'continues what send started',
  createAgentServer: 'behind createLocalClient and serve',
  serveMcp: 'serves tools and agents to the models of others: packages/mcp/test/serve',
  chatRoutes: 'an agent behind useChat: packages/durable/test/chat.test.ts',
  of: 'makes a budget that an option of infer takes: packages/durable/test/budgets.test.ts',
  withBudget: 'a provider with a budget: packages/runtime/test/with-budget.test.ts',
  toUiMessageStream: 'behind toUiMessageResponse',
  toAgUiEvents: 'the events of a run in another form: packages/runtime/test/ag-ui.test.ts',
  authorize: 'an option of infer that asks the application',
  policy: 'an option of agents that asks nobody',
  studio: 'a command: packages/studio/test',
  apiHost: 'asks nobody',
  apiHosts: 'asks nobody',
  resolveModel: 'asks nobody',
  parseModel: 'asks nobody',
  readConfigFile: 'asks nobody',
  listModels: 'asks for a list: test/other-endpoints.test.ts',
  newFileStore: 'asks no model: test/files.test.ts',
  upload: 'asks no model: test/files.test.ts',
  newEmbedder: 'asks another endpoint: test/counts.test.ts',
  embed: 'asks another endpoint: test/counts.test.ts',
  toEmbeddingModel: 'asks another endpoint: packages/ai-sdk/test/generate-text.test.ts',
  mcpTools: 'tools like any others for the model: packages/mcp/test/tools.test.ts',
  createMock: 'plays a model',
  cassetteFetch: 'plays a server',
  seed: 'starts a dialog',
  send: 'adds to a dialog, or is AgentClient.send',
  request: 'makes a request of what is stored',
}
