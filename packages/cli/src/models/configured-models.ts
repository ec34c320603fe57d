import { configError, isLlmError, type ModelProfile } from '@modelport/core'
import {
  createProviderTable,
  createRegistry,
  type FactoryContext,
  type ModelConfig,
  type ModelEntry,
  type ModelPool,
  parseModel,
  type Registry,
  resolveModel,
} from '@modelport/factory'
import { readConfigFile } from '@modelport/factory/node'
import type { Cli } from '../context/cli.js'
import { loadPriceList } from '../context/price-list.js'
import { exists } from '../files/private-file.js'

/** A model that a command may use. */
export interface NamedModel {
  /** Its name in the configuration, or `provider:model` as it was given. */
  readonly name: string
  readonly config: ModelConfig
  readonly profile: ModelProfile | undefined
  readonly purpose: string | undefined
}

/** The models of the configuration, and any that is named as `provider:model`. */
export class ConfiguredModels {
  readonly #file: string
  readonly #pool: ModelPool | undefined
  readonly #context: FactoryContext
  #registry: Registry | undefined

  constructor(file: string, pool: ModelPool | undefined, context: FactoryContext) {
    this.#file = file
    this.#pool = pool
    this.#context = context
  }

  /** True when there is no configuration file. */
  get isEmpty(): boolean {
    return this.#pool === undefined
  }

  /** All of the configuration. @throws {LlmError} `config` — there is none. */
  all(): NamedModel[] {
    return this.#needPool().models.map((entry) => this.#named(entry))
  }

  get roles(): Readonly<Record<string, string>> {
    return this.#pool?.roles ?? {}
  }

  /**
   * The model of this name, else the provider or `provider:model` of it; without a name the one of
   * the role `chat`.
   * @throws {LlmError} `config` — there is no such model or provider, or no configuration.
   */
  pick(name: string | undefined, baseUrl?: string): NamedModel {
    if (baseUrl !== undefined) return this.#atAddress(name, baseUrl)
    if (name === undefined) {
      const pool = this.#needPool()
      return this.pick(pool.roles['chat'] ?? pool.models[0]?.name ?? '')
    }
    const entry = this.#pool?.models.find((one) => one.name === name)
    if (entry) return this.#named(entry)
    if (name.includes(':') || createProviderTable().has(name.toLowerCase())) {
      return { name, config: parseModel(name), profile: undefined, purpose: undefined }
    }
    const names =
      this.#pool?.models.map((one) => one.name).join(', ') ?? `none: there is no ${this.#file}`
    throw configError(
      `there is no model ${JSON.stringify(name)}; configured: ${names}; or write provider:model`,
    )
  }

  /**
   * Another address than the configured one would get the configured key, so only `provider:model`
   * takes one.
   */
  #atAddress(name: string | undefined, baseUrl: string): NamedModel {
    if (name !== undefined && this.#pool?.models.some((one) => one.name === name))
      throw configError(
        `--base-url cannot change the configured model ${JSON.stringify(name)}; write provider:model, or change its base_url in ${this.#file}`,
      )
    const config = { ...parseModel(name ?? 'openai-compatible'), baseUrl }
    return { name: name ?? 'openai-compatible', config, profile: undefined, purpose: undefined }
  }

  #needPool(): ModelPool {
    if (this.#pool) return this.#pool
    throw configError(
      `there is no configuration at ${this.#file}; run "modelport init", or name a model: --model provider:model`,
    )
  }

  #named(entry: ModelEntry): NamedModel {
    const config = this.#configOf(entry)
    return { name: entry.name, config, profile: this.#profileOf(config), purpose: entry.purpose }
  }

  /**
   * Undefined for a configuration that cannot be used; the code that uses it reports the reason.
   */
  #profileOf(config: ModelConfig): ModelProfile | undefined {
    try {
      return resolveModel(config, this.#context).config.profile
    } catch (error) {
      if (isLlmError(error)) return undefined
      throw error
    }
  }

  #configOf(entry: ModelEntry): ModelConfig {
    this.#registry ??= createRegistry({ models: this.#needPool().models, roles: {} })
    return this.#registry.config(entry.name)
  }
}

/**
 * Reads the configuration. A file that the user names must exist; the default one may be missing.
 */
export async function loadModels({
  locations,
  configGiven,
  context,
}: Cli): Promise<ConfiguredModels> {
  const there = configGiven || (await exists(locations.config))
  const pool = there ? await readConfigFile(locations.config, { requiredRoles: [] }) : undefined
  if (pool?.models.some(({ profile }) => profile?.catalog)) await loadPriceList()
  return new ConfiguredModels(locations.config, pool, context)
}
