// What a row of the grid is.
import type { Provider, TokenUsage, ToolDefinition } from '@modelport/core'
import type { DurableStore } from '@modelport/durable'
import { defineTool, type Tool } from '@modelport/runtime'
import type { Api, Connection } from './apis.js'

/** What a row works with in one cell. */
export interface CellContext {
  readonly api: Api
  readonly connection: Connection
  readonly provider: Provider
  /** The tool of the grid. */
  readonly weather: Tool
  /** Where durable runs are kept. */
  readonly store: DurableStore
}

/** What a user sees. */
export interface Seen {
  /** Plain JSON. */
  readonly value: unknown
  /** Where the function gives it. */
  readonly usage?: TokenUsage
}

/** One row. */
export interface Door {
  readonly name: string
  /** Exported functions, or `Interface.method`, that the row calls. */
  readonly covers: readonly string[]
  /** What a user sees where everything works. */
  readonly sees: unknown
  /** How many requests that takes. */
  readonly requests: number
  /** True if the tool of the grid must have been executed, once. */
  readonly usesTool?: boolean
  run(cell: CellContext): Promise<Seen>
}

/** The question of every row, and what is true. */
export const question = 'How warm is it in Rome?'
export const sentence = 'It is 28 degrees in Rome.'
export const weatherInRome = { city: 'Rome', degrees: 28 }
export const weatherSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
}

/** The tool of the grid, for doors that execute nothing. */
export const weatherDefinition: ToolDefinition = {
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

/** The tool of the grid: it writes down what it does. */
export const weatherTool = (effects: string[]): Tool =>
  defineTool({
    ...weatherDefinition,
    execute: ({ city }) => {
      effects.push(`weather of ${String(city)}`)
      return `28 degrees in ${String(city)}`
    },
  })
