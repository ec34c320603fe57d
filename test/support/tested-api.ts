// The row of an API that suites walk. Each provider package has its own in `test/api.ts`: a model,
// the least settings, and the wire. What the catalog says of the vendor is read there.
import { type Vendor, vendors } from '@modelport/catalog'
import type { WireFormat } from '@modelport/conformance'
import type { Embedder, FileStore, Provider } from '@modelport/core'
import type { CommonConfig } from '@modelport/driver'
import type { ModelConfig } from '@modelport/factory'

/** What a suite may set of every provider. */
export type SuiteSettings = Partial<CommonConfig> & { readonly apiKey?: string | undefined }

/** What a provider has next to turns. */
export interface NextToTurns {
  readonly embedder?: () => Embedder
  readonly files?: () => FileStore
}

/** How the kit makes a provider outside of Node, in a page too. */
interface InEveryRuntime {
  /** Settings besides those of the row, made with the key of the kit. */
  readonly settings?: (apiKey: string) => object
  /** Tests of the kit that do not apply: title → reason. */
  readonly skip?: Readonly<Record<string, string>>
}

/** What a row says of its API beyond what every suite needs. */
interface MoreFacts extends NextToTurns {
  /** The host that `config` leads to, where a cloud says it and the catalog does not. */
  readonly cloudHost?: string
  /** Packages of others that importing the provider's loads. Default: none. */
  readonly loads?: readonly string[]
  /** Unset: the kit runs in Node alone. */
  readonly everywhere?: InEveryRuntime
}

/** One API, as suites ask it. */
export interface TestedApi extends MoreFacts {
  /** Name of the row in a report: the provider's, or the API's where a provider has two. */
  readonly name: string
  /** Name of the provider in its errors. */
  readonly provider: string
  readonly format: WireFormat
  /** What the catalog says of the provider. */
  readonly vendor: Vendor
  /** The least that a configuration says to mean it, with the model. */
  readonly config: ModelConfig
  /** Name of the function that makes it. */
  readonly creator: string
  /** Models whose abilities differ: one that thinks, and one that does not. */
  readonly models: readonly string[]
  /** The model whose abilities its page shows. */
  readonly shownModel: string
  /** Makes a provider of it, at the address of a server if one is given. */
  create(settings: SuiteSettings, url?: string): Provider
}

/** The key of every provider made here, unless a suite has its own. */
export const apiKey = 'sk-Canary0123456789-Zx81-abcdefghijklmnop'

/** What the catalog says of a provider. */
export function vendorNamed(name: string): Vendor {
  const vendor = vendors.find((one) => one.name === name)
  if (vendor) return vendor
  throw new Error(`the catalog has no vendor ${name}`)
}

/** What a row says of an API besides the settings of its provider. */
interface ApiFacts extends MoreFacts {
  readonly format: WireFormat
  /** Default: the name of the row. */
  readonly provider?: string
  /** What the base URL has after the address of a server. Default: nothing. */
  readonly path?: string
  /** The API of a provider that has two. */
  readonly api?: string
  /** Default: the model of the settings. */
  readonly models?: readonly string[]
  /** Default: the model of the settings. */
  readonly shownModel?: string
}

/** A row: settings that a suite does not say are those of the row. */
export function testedApi<Settings extends CommonConfig>(
  name: string,
  createProvider: (settings: Settings) => Provider,
  settings: Settings,
  facts: ApiFacts,
): TestedApi {
  const { provider = name, path = '', api, models, shownModel, ...more } = facts
  const vendor = vendorNamed(provider)
  const { model } = settings
  return {
    ...more,
    name,
    provider,
    vendor,
    config: { provider, model, ...vendor.minimal, ...(api !== undefined && { settings: { api } }) },
    creator: createProvider.name,
    models: models ?? [model],
    shownModel: shownModel ?? model,
    create: (own, url) =>
      createProvider({
        ...settings,
        ...(api !== undefined && { api }),
        ...(url !== undefined && { baseUrl: `${url}${path}` }),
        ...own,
      }),
  }
}
