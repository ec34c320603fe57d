import type { Api } from './bodies.ts'
import { discard, split } from './floor.ts'
import { modelport } from './modelport-row.ts'
import { aiSdk, officialSdk } from './peer-rows.ts'

/** Reads one streamed answer from a base URL; gives the number of characters, so that nothing is optimised away. */
export type Drain = (baseUrl: string) => Promise<number>

/** One line of the table: what is measured on which API. Made only in the process that measures it. */
export interface Row {
  readonly name: string
  readonly apis: readonly Api[]
  /** True for other libraries, which `--peers` adds. */
  readonly peer: boolean
  create(api: Api): Promise<Drain>
}

const all: readonly Api[] = ['openai-chat', 'anthropic', 'openai-responses', 'gemini', 'ollama']

/** All rows, the reference first. */
export const rows: readonly Row[] = [
  { name: 'floor b (reference)', apis: all, peer: false, create: () => Promise.resolve((baseUrl) => split(`${baseUrl}/x`)) },
  { name: 'floor a (discard)', apis: all, peer: false, create: () => Promise.resolve((baseUrl) => discard(`${baseUrl}/x`)) },
  { name: 'modelport', apis: all, peer: false, create: modelport },
  { name: 'official SDK', apis: all, peer: true, create: officialSdk },
  { name: 'AI SDK streamText', apis: all.filter((api) => api !== 'ollama'), peer: true, create: aiSdk },
]
