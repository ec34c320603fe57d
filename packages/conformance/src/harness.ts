import type { Provider } from '@modelport/core'
import type { CommonConfig } from '@modelport/driver'
import type { WireFormat } from './wire-format.js'

/**
 * What a test sets of the provider's configuration: always `fetch`, the rest as it needs it.
 * `create` adds the model, the key and the address.
 */
export type HarnessConfig = { readonly fetch: NonNullable<CommonConfig['fetch']> } & Partial<
  Omit<CommonConfig, 'fetch'>
>

/** Everything the suite needs of a provider. */
export interface Harness {
  /** Names the suite in the report. */
  readonly name: string
  /**
   * A provider that passes all of `config` on to `createProvider`, with {@link Harness.apiKey} as
   * its key.
   */
  create(config: HarnessConfig): Provider
  /** The wire it speaks. */
  readonly format: WireFormat
  /** A key that must appear in no output. Undefined for a provider without keys. */
  readonly apiKey?: string
  /** Tests that do not apply: rule or test name → reason. */
  readonly skip?: Readonly<Record<string, string>>
}

/** The test runner to use, for example vitest's own `describe` and `test`. */
export interface Runner {
  /** Groups tests. */
  describe(name: string, body: () => void): void
  /** Declares a test; `skip` one that does not apply. */
  test: ((name: string, body: () => Promise<void> | void, timeoutMs?: number) => void) & {
    /** A test that does not apply. */
    skip(name: string, body?: () => void): void
  }
  /**
   * Some tests cut or split a reply at every byte, and take most of the suite's time. With N they
   * try every Nth byte, and still every place around the end of a line or inside a character.
   *
   * @default 1, every byte
   */
  readonly everyNthByte?: number
  /**
   * Which tests are declared. `wire` are those of what a provider does itself: its requests, its
   * decoder, its errors, what it passes on of its configuration. `driver` are those of
   * `@modelport/driver`: readers, attempts, clocks, limits and the division of bytes into records,
   * which are the same code for every provider that uses a framing of the driver.
   *
   * @default 'all'
   */
  readonly rules?: 'all' | 'driver' | 'wire'
  /**
   * Called at the end of a test, once for each rule that its title cites, with counts of what it
   * tried, for example `{ cuts: 912 }`. For reports.
   */
  measured?(rule: string, counts: Readonly<Record<string, number>>): void
}
