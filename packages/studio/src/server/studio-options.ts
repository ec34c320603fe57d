import type { AgentClient } from '@modelport/agent'
import type { ModelProfile, Provider } from '@modelport/core'
import type { Tool, ToolSource } from '@modelport/runtime'
import type { AllowListInfo, DoctorStepInfo, HostInfo, ModelInfo } from '../protocol/protocol.js'
import type { StoredInfo } from '../protocol/stored.js'
import type { StudioStore } from '../store/studio-store.js'

/** Sends a request; the type of the platform's `fetch`. */
export type StudioFetch = typeof fetch

/** A model that the page can talk to, and how to make its provider. */
export interface StudioModel extends Omit<ModelInfo, 'tools'> {
  /** Makes the provider. It must send through `fetch`, which records what passes. */
  open(fetch: StudioFetch): Provider | Promise<Provider>
  /** What the recorder sends through. Default: the transport that every provider uses. */
  readonly fetch?: StudioFetch
  /** Address of an HTTP proxy that the recorder sends through. */
  readonly proxy?: string
  /** Keys and tokens of the model, taken out of everything that the page sees. */
  readonly secrets?: readonly string[]
  /** Prices and context window, for costs and the context view. */
  readonly profile?: ModelProfile
  /**
   * Tools that only this model may call, besides those of {@link StudioOptions.tools}, which
   * replace these of the same name.
   */
  readonly tools?: readonly Tool[]
}

/** An agent behind an address that the page can talk to. */
export interface StudioAgent {
  /** Address of the agent; it names the agent in every list. */
  readonly url: string
  /** Every `host:port` that its client contacts. */
  readonly hosts: readonly string[]
  /** Makes the client. It must send through `fetch`, which records what passes. */
  open(fetch: StudioFetch): AgentClient
  /** Tokens of the client, taken out of everything that the page sees. */
  readonly secrets?: readonly string[]
}

/**
 * Configuration of {@link createStudio}. Each function is called when the page asks, never before.
 */
export interface StudioOptions {
  /** The models in the order in which the page lists them. The first is selected. */
  readonly models: readonly StudioModel[] | (() => Promise<readonly StudioModel[]>)
  /** Tools that the models may call. Default: none. */
  readonly tools?: readonly Tool[] | undefined
  /**
   * MCP servers and other sources of tools, each with its own name. The models may call their
   * tools, and the page can call them by hand. The caller closes them.
   */
  readonly sources?: readonly ToolSource[] | undefined
  /** Agents behind an address. Default: none. */
  readonly agents?: readonly StudioAgent[] | undefined
  /** Where runs are kept. Default: in memory. */
  readonly store?: StudioStore | undefined
  /** Path of the store's file, shown on the page. */
  readonly file?: string | undefined
  /** The hosts that the configuration contacts. */
  readonly hosts?: (() => Promise<readonly HostInfo[]>) | undefined
  /** Allow-list formats by name. */
  readonly allowLists?: Readonly<Record<string, () => Promise<AllowListInfo>>> | undefined
  /** Tests the connection to a model, step by step. */
  readonly doctor?:
    | ((model: string, signal: AbortSignal) => AsyncIterable<DoctorStepInfo>)
    | undefined
  /** Makes a model that replays a cassette. The page opens cassettes only if this is set. */
  readonly openCassette?: ((cassette: unknown) => StudioModel | Promise<StudioModel>) | undefined
  /** What waits in a durable store, and its budgets, to be shown. */
  readonly durableStore?: (() => Promise<StoredInfo>) | undefined
  /**
   * Maximum runs of studios in the store; the oldest are deleted as others end. Runs that came from
   * other programs are neither counted nor deleted. Unset: nothing is deleted.
   */
  readonly maxRuns?: number | undefined
  /** The page's files by path, `/index.html` included. The Node entry fills it. */
  readonly assets: Readonly<Record<string, StudioAsset>>
}

/** A file of the page. */
export interface StudioAsset {
  /** Content of the file. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Value of its `content-type` header. */
  readonly type: string
}
