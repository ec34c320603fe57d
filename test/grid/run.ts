// Runs the cells of the grid.
import { isLlmError } from '@modelport/core'
import type { DurableStore } from '@modelport/durable'
import type { Api } from './apis.js'
import { type CellContext, type Door, weatherTool } from './door.js'
import type { CellServer, GridServer } from './server.js'

/** What became of a cell. */
export type Outcome =
  | { readonly kind: 'works'; readonly requests: number }
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly message: string
      readonly requests: number
    }
  | { readonly kind: 'wrong'; readonly message: string; readonly requests: number }

/** What all cells share. */
export interface Grid {
  readonly server: GridServer
  readonly store: DurableStore
}

/** Runs one row at one column. */
export async function runCell(
  { server, store }: Grid,
  door: Door,
  api: Api,
  apiKey: string | undefined,
): Promise<Outcome> {
  const cell = server.open(api, apiKey)
  const effects: string[] = []
  try {
    const { connection } = cell
    const context: CellContext = {
      api,
      connection,
      provider: api.create(connection),
      weather: weatherTool(effects),
      store,
    }
    const { value, usage } = await door.run(context)
    const problem =
      difference('the user', door.sees, value) ??
      difference('the tool', door.usesTool ? ['weather of Rome'] : [], effects) ??
      (usage && difference('usage', cell.billed, [usage.inputTokens, usage.outputTokens]))
    const requests = cell.requests.length
    return problem === undefined
      ? { kind: 'works', requests }
      : { kind: 'wrong', message: problem, requests }
  } catch (error) {
    return failure(error, cell)
  }
}

function failure(error: unknown, { requests: { length: requests } }: CellServer): Outcome {
  if (isLlmError(error))
    return { kind: 'refused', code: error.code, message: error.message, requests }
  return { kind: 'wrong', message: String(error), requests }
}

function difference(what: string, expected: unknown, found: unknown): string | undefined {
  const a = JSON.stringify(expected)
  const b = JSON.stringify(found)
  return a === b ? undefined : `${what} sees ${b}, not ${a}`
}
