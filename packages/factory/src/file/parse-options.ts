import type { ProviderRow } from '../providers/row.js'

/** How a configuration file is read. */
export interface ParseConfigOptions {
  /** Name of the file, for messages. Default `config.yaml`. */
  readonly file?: string | undefined
  /** Roles that must be given. Default `chat`. */
  readonly requiredRoles?: readonly string[] | undefined
  /** `loopback` refuses an Ollama that is not on this computer. Default `any`. */
  readonly ollamaHosts?: 'any' | 'loopback' | undefined
  /** Providers that may be named. Default: all that modelport knows. */
  readonly table?: ReadonlyMap<string, ProviderRow> | undefined
}

/** The options of a check, which always has a table. */
export interface CheckOptions extends ParseConfigOptions {
  readonly table: ReadonlyMap<string, ProviderRow>
}
