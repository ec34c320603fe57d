import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** A library under test: `bench/kill/peers` has its adapter. */
export interface Peer {
  readonly name: string
  readonly adapter: 'modelport' | 'langgraph' | 'mastra' | 'workflow'
  readonly onPostgres?: true
  /** The ledger can be asked, and the tools do it. */
  readonly reconciles?: true
  /** Packages whose versions are reported. */
  readonly packages: readonly string[]
}

const langGraph = ['langchain', '@langchain/langgraph', '@langchain/core']

export const peers: readonly Peer[] = [
  { name: 'modelport, SQLite', adapter: 'modelport', packages: [] },
  {
    name: 'modelport, SQLite, with `reconcile`',
    adapter: 'modelport',
    reconciles: true,
    packages: [],
  },
  { name: 'modelport, PostgreSQL', adapter: 'modelport', onPostgres: true, packages: [] },
  {
    name: 'LangGraph.js, SQLite',
    adapter: 'langgraph',
    packages: [...langGraph, '@langchain/langgraph-checkpoint-sqlite'],
  },
  {
    name: 'LangGraph.js, PostgreSQL',
    adapter: 'langgraph',
    onPostgres: true,
    packages: [...langGraph, '@langchain/langgraph-checkpoint-postgres'],
  },
  { name: 'Mastra, libsql', adapter: 'mastra', packages: ['@mastra/core', '@mastra/libsql'] },
  {
    name: 'AI SDK on Workflow, local world',
    adapter: 'workflow',
    packages: ['ai', '@ai-sdk/workflow', 'workflow', '@workflow/world-local'],
  },
]

/**
 * What the environment of a process names, besides what every adapter is given: Workflow finds its
 * folder and its own address there.
 */
export async function environmentOf(
  { adapter, reconciles }: Peer,
  store: string,
): Promise<Readonly<Record<string, string>>> {
  if (reconciles) return { KILL_RECONCILE: 'yes' }
  if (adapter !== 'workflow') return {}
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  // On a busy machine a message would be delivered again because of the load.
  const patient = { WORKFLOW_LOCAL_HEADERS_TIMEOUT_MS: '0', WORKFLOW_LOCAL_BODY_TIMEOUT_MS: '0' }
  return { PORT: String(port), HOST: '127.0.0.1', WORKFLOW_LOCAL_DATA_DIR: store, ...patient }
}

/** The folder of the adapters, which has a package.json of its own. */
export const kitFolder = fileURLToPath(new URL('../../kill/', import.meta.url))
