import type { Vendor } from '@modelport/catalog'
import type {
  BaseUrl,
  BatchRunner,
  Embedder,
  FileStore,
  JsonObject,
  Provider,
  RequestOptions,
} from '@modelport/core'
import type { Environment } from '../base/env.js'
import type { HostEntry } from '../base/host-entry.js'
import type { CloudQuestion } from '../clouds/cloud.js'
import type { CloudName } from '../clouds/clouds.js'
import type { ModelConfig } from '../config/model-config.js'

/** A model in the list of a vendor or server. */
export interface ListedModel {
  /** The value to use for `model`. */
  readonly id: string
}

/** The functions of a provider package that create things. */
export interface ProviderCreators {
  /** For example `createAnthropic`. Gets the settings that the row makes of the configuration. */
  readonly createProvider: (settings: never) => Provider
  /** Unset where the vendor has no embeddings. */
  readonly createEmbedder?: (settings: never) => Embedder
  /** Unset where the vendor takes no batches. */
  readonly createBatches?: (settings: never) => BatchRunner
  /**
   * Makes access tokens of a cloud's credentials, for packages that take a function. Unset where
   * there is nothing to exchange.
   */
  readonly createAccessToken?: (settings: never) => () => Promise<string>
  /** Unset where the vendor keeps no files. */
  readonly createFiles?: (settings: never) => FileStore
  /**
   * Asks the vendor which models it has; `id` is what to give as `model`. Unset if the vendor has
   * no such list.
   */
  readonly listModels?: (
    settings: never,
    options: Pick<RequestOptions, 'signal' | 'deadlineMs'>,
  ) => Promise<readonly ListedModel[]>
}

/** What proves who calls. */
export interface RowSecrets {
  /** The key that was found. Unset: there is none. */
  readonly apiKey?: string | undefined
  /** Gives a token for each request, made from credentials. Unset: no credentials are exchanged. */
  readonly accessToken?: (() => Promise<string>) | undefined
}

/** What modelport knows of a provider without loading it: a row of the table. */
export interface ProviderRow
  extends Pick<
    Vendor,
    | 'name'
    | 'aliases'
    | 'needsKey'
    | 'keyUrl'
    | 'model'
    | 'cheapestModel'
    | 'embeddingModel'
    | 'fewestTokens'
    | 'retired'
  > {
  /** The npm package that is loaded when the provider is asked for. */
  readonly package?: string
  /** Already loaded creators, or how to load them; instead of `package`. */
  readonly creators?: ProviderCreators | (() => Promise<ProviderCreators>)
  /** The cloud that serves it: the field of a configuration with this name is for it. */
  readonly cloud?: CloudName
  /** What a person is asked who sets it up: the answer goes into the field of the cloud. */
  readonly question?: CloudQuestion
  /**
   * The row whose package exchanges credentials of the cloud for access tokens, if this one's takes
   * a function only.
   */
  readonly tokenRow?: string
  /** Address of the API, where it has one. */
  readonly baseUrl?: string | ((config: ModelConfig) => string)
  /** True for a provider that opens no connection. */
  readonly offline?: boolean
  /**
   * True for a server that users run themselves. Without `baseUrlEnv` its key variables count
   * nowhere by themselves: a configuration names one.
   */
  readonly selfHosted?: boolean
  /**
   * Further addresses of the vendor that its key variables are given for, for example
   * `https://eu.api.openai.com`; or all of them, where they depend on the configuration.
   */
  readonly keyOrigins?: readonly string[] | ((config: ModelConfig) => readonly string[])
  /**
   * Variables that the vendor reads the address from, in order. Read only when a configuration asks
   * for it.
   */
  readonly baseUrlEnv?: readonly string[]
  /** Turns the value of such a variable into a URL, if the vendor allows other forms. */
  readonly fromEnvironment?: (text: string) => string
  /** Variables with the key, in order. */
  readonly keyEnv: readonly string[]
  /** True if a call to any host needs a key: the package sends nothing without one. */
  readonly needsKeyAnywhere?: boolean
  /** The row that is meant, when the configuration says so. Its name. */
  readonly redirect?: (
    config: ModelConfig,
    environment: Environment | undefined,
  ) => string | undefined
  /**
   * What the configuration takes from the environment besides the address; called only when it asks
   * for it.
   */
  readonly fillIn?: (config: ModelConfig, environment: Environment) => ModelConfig
  /** Hosts besides the API's own. */
  readonly furtherHosts?: (config: ModelConfig, environment: Environment) => readonly HostEntry[]
  /**
   * Settings for the package's creator, added to those that every provider gets; `secrets` has the
   * key that was found, and the function of `tokenRow` if credentials have to be exchanged.
   */
  readonly settings?: (model: ResolvedModel, secrets: RowSecrets) => JsonObject
}

/** A configuration, read: the row that is meant, and the address. */
export interface ResolvedModel {
  /** The row of its provider. */
  readonly row: ProviderRow
  /** With `provider` as the row's name; `model` is set where it is known. */
  readonly config: ModelConfig
  /** Undefined for a provider that opens no connection. */
  readonly baseUrl?: BaseUrl & { readonly source: HostEntry['source']; readonly variable?: string }
  /**
   * The proxy that is dialled instead of the hosts. A function returns what may contain a password,
   * so that no log shows it.
   */
  readonly proxy?: BaseUrl & {
    readonly source: HostEntry['source']
    /** The address as it was given, with user and password if it has them. */
    url(): string
    /** The value of `Proxy-Authorization`; undefined for a proxy that needs no password. */
    authorization(): string | undefined
  }
}
