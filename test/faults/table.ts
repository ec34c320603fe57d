import { connections } from './table/connections.ts'
import type { FaultRow } from './table/fault-row.ts'
import { hosts } from './table/hosts.ts'
import { secrets } from './table/secrets.ts'
import { streams } from './table/streams.ts'
import { tools } from './table/tools.ts'

/** Where the conformance kit runs. */
export const kitFiles: readonly string[] = [
  ...['anthropic', 'google', 'ollama', 'openai', 'openai-compatible'].map(
    (name) => `packages/provider-${name}/test/conformance.test.ts`,
  ),
  'packages/conformance/test/reference.test.ts',
]

/** The faults and threats modelport is held to, in the order of their ids. */
export const rows: readonly FaultRow[] = [
  ...streams,
  ...secrets,
  ...hosts,
  ...tools,
  ...connections,
]
