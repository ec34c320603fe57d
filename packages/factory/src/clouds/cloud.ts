import { parseBaseUrl } from '@modelport/core'
import type { Environment } from '../base/env.js'
import { type HostEntry, toHostEntry } from '../base/host-entry.js'

/** What a file may say of a setting: a text, yes or no, or one of these words. */
export type FileForm = 'text' | 'flag' | readonly string[]

/** The rest of a configuration, as far as a cloud reads it. */
export interface CloudPlace {
  readonly baseUrl?: string | undefined
  readonly useEnvironmentBaseUrls?: boolean | undefined
}

/** What a person who sets up a model is asked, since the cloud has no default for it. */
export interface CloudQuestion {
  /** The setting that the answer goes to, in the field of the cloud. */
  readonly setting: string
  /** The question. */
  readonly message: string
  /** An answer that fits. */
  readonly example: string
  /** Matches every answer that is accepted. */
  readonly pattern: RegExp
  /** Variables that the cloud's own SDK reads it from, in order. */
  readonly variables: readonly string[]
}

/**
 * A cloud that serves models: everything that is known of it here. A configuration has its settings
 * in the field with the name of the cloud, for example `vertex`.
 */
export interface Cloud<Settings extends object = object> {
  /** The settings that a file may have: not what is a function or a secret. */
  readonly fileForms: Readonly<Partial<Record<keyof Settings & string, FileForm>>>
  readonly question?: CloudQuestion
  /** The setting that is, or gives, a token in place of a key: for messages. */
  readonly tokenSetting: string
  /**
   * The address that the settings name; undefined if they name none, and only `baseUrl` can.
   * @throws {LlmError} `config` — a setting is missing, or has no known address.
   */
  address(settings: Settings): string | undefined
  /** True if the settings say where the API is; else it is at the cloud's usual address. */
  isPlaced(settings: Settings): boolean
  /** The setting that is an address itself, which `baseUrl` next to it would contradict. */
  readonly addressSetting?: string
  /** True if the settings prove who calls, so that no key is needed. */
  hasCredentials(settings: Settings): boolean
  /** True if these credentials have to be exchanged for access tokens first. Default: never. */
  needsExchange?(settings: Settings): boolean
  /** Addresses that a key from a variable may be sent to. Default: none. */
  keyOrigins?(settings: Settings, place: CloudPlace): readonly string[]
  /** The settings with what the cloud's own SDK takes from the environment. */
  fillIn?(settings: Settings, environment: Environment): Settings
  /** The hosts that credentials come from. */
  hosts(settings: Settings, place: CloudPlace, environment: Environment): readonly HostEntry[]
}

/** A host that only some uses contact, for credentials. */
export const maybeHost = (
  address: string,
  purpose: HostEntry['purpose'],
  when: string,
  isOfEnvironment = false,
): HostEntry =>
  toHostEntry(parseBaseUrl(address), {
    purpose,
    phase: 'auth',
    required: false,
    when,
    source: isOfEnvironment ? 'env' : 'default',
  })
