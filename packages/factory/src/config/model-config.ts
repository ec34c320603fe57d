import type { CallOptions, JsonObject, ModelProfile } from '@modelport/core'
import type { CloudFields } from '../clouds/clouds.js'
import type { FallbackOptions } from '../fallback/fallback-chain.js'

/**
 * Which model to use, its address and credentials. Only `provider` is required; the table of
 * providers has the defaults. A cloud has a field of its own.
 */
export interface ModelConfig extends CloudFields {
  /**
   * Name of the provider, or `provider:model` instead of the two fields. Upper and lower case are
   * the same.
   */
  readonly provider: string
  /**
   * A provider of the user's own: the npm package, or the path of the module, that creates it. It
   * exports `createProvider`, and may export `createEmbedder` and `listModels`. `provider` is then
   * a new name, `baseUrl` is required, and a key needs `apiKeyEnv`. It is imported with
   * `importModule` of the context. A relative path in a file starts at the file's folder.
   */
  readonly package?: string | undefined
  /** The model's name, as the vendor spells it. Default: the provider's own, where it has one. */
  readonly model?: string | undefined
  /** The key itself; wins over every variable. */
  readonly apiKey?: string | undefined
  /**
   * Name of the variable with the key. No other variable is read then. Default: the vendor's own
   * variables, at the vendor's own address.
   */
  readonly apiKeyEnv?: string | undefined
  /** Address of the API. '' is unset. Default: the provider's own. */
  readonly baseUrl?: string | undefined
  /**
   * Name of a variable with the address. Used where `baseUrl` is unset; the variable must then be
   * set.
   */
  readonly baseUrlEnv?: string | undefined
  /**
   * True lets the vendor's own variables say where the API is, for example `OPENAI_BASE_URL`.
   * Default false.
   */
  readonly useEnvironmentBaseUrls?: boolean | undefined
  /**
   * Address of an HTTP proxy, `http://user:password@host:port` where it asks for a password, which
   * is redacted like a key. Default: none.
   */
  readonly proxy?: string | undefined
  /**
   * Name of a variable with the address of a proxy, for example `HTTPS_PROXY`. No proxy where it is
   * not set.
   */
  readonly proxyEnv?: string | undefined
  /** Default model for delegated work. Default: the provider's own. */
  readonly cheapestModel?: string | undefined
  /**
   * What the application knows of the model: prices, window, abilities. `describeProvider` of core
   * reads it from the provider. With `catalog: true` the dated window and prices of the catalog
   * fill in what is unset, at the vendor's own address only.
   */
  readonly profile?: (ModelProfile & { readonly catalog?: boolean | undefined }) | undefined
  /** Tried in order when this one fails before its reply begins. */
  readonly fallback?: readonly ModelConfig[] | undefined
  /** When and how a fallback switches; `onSwitch` of the context observes it. */
  readonly fallbackOptions?:
    | (Pick<FallbackOptions, 'codes' | 'coolDownMs' | 'attempts'> & {
        /**
         * `next` passes over a model whose key is not set, and calls `onWarning` of the context.
         * Default `error`: a misspelled variable must not send prompts to another vendor.
         */
        readonly missingKey?: 'error' | 'next' | undefined
      })
    | undefined
  /**
   * Options of every call; a call's own win, and `null` clears one. Default: nothing is sent that
   * nobody set, but for `maxTokens`: the model's largest where the API requires a number, and 4096
   * at a server of one's own, which `'vendor'` leaves out as well. `'reference'` sends 4096 tokens,
   * and temperature 0.7 if the model is known to take one.
   */
  readonly defaults?: CallOptions | 'vendor' | 'reference' | undefined
  /** Fields added to every request as they are, over everything else. */
  readonly vendor?: JsonObject | undefined
  /** Headers added to every request; `{ env: 'NAME' }` takes the value from a variable. */
  readonly headers?: Readonly<Record<string, string | { readonly env: string }>> | undefined
  /** True refuses every host but the provider's own. */
  readonly enforceHosts?: boolean | readonly string[] | undefined
  /** Replaces the transport. */
  readonly fetch?:
    | ((input: string | URL | Request, init?: RequestInit) => Promise<Response>)
    | undefined
  /**
   * Any other setting of the provider's package, by its own name. A field of this type is refused
   * here: set it above.
   */
  readonly settings?: JsonObject | undefined
}
