import type { Api } from './bodies.ts'
import type { Task } from './task.ts'

/** Called with the text of each delta, where a measurement looks at single deltas. */
export type OnText = (text: string) => void

/** What a process measures: one library on one API with one task. */
export interface Client {
  /**
   * Reads one streamed reply from a base URL; gives the characters of its text, or of its call's
   * arguments, so that nothing is optimised away.
   */
  stream(baseUrl: string, onText?: OnText): Promise<number>
  /** Reads one reply that is not streamed. Unset where the library only streams. */
  complete?(baseUrl: string): Promise<number>
}

/** One line of the tables. */
export interface Row {
  readonly name: string
  /** A floor counts no characters; a peer is another library, which `--peers` and `--all` add. */
  readonly kind: 'floor' | 'modelport' | 'peer'
  readonly apis: readonly Api[]
  /** What an application imports for this API: names by module. */
  uses(api: Api): Readonly<Record<string, readonly string[]>>
  /** Imports the library, here and not before, and makes its form of the task. */
  create(api: Api, task: Task): Promise<Client>
}

/** A key that no vendor would take. */
export const apiKey = 'bench-key-0000'

/** One client for each base URL, as an application has one for each vendor. */
export function perUrl<Value>(create: (baseUrl: string) => Value): (baseUrl: string) => Value {
  const values = new Map<string, Value>()
  return (baseUrl) => {
    const value = values.get(baseUrl) ?? create(baseUrl)
    values.set(baseUrl, value)
    return value
  }
}

/** What each API imports, for rows that import one thing for each. */
export const usesOf =
  (table: Readonly<Partial<Record<Api, Readonly<Record<string, readonly string[]>>>>>) =>
  (api: Api): Readonly<Record<string, readonly string[]>> =>
    table[api] ?? {}
