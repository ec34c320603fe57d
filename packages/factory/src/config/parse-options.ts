import type { ProviderTable } from '../providers/provider-table.js'

/** How a configuration file is read. */
export interface ParseConfigOptions {
  /** Name of the file, for messages. Default `config.yaml`. */
  readonly file?: string
  /** Roles that must be given. Default `chat`. */
  readonly requiredRoles?: readonly string[]
  /** `loopback` refuses an Ollama that is not on this computer. Default `any`. */
  readonly ollamaHosts?: 'any' | 'loopback'
  /** Providers that may be named. Default: all that modelport knows. */
  readonly table?: ProviderTable
}
