import { configError, type Embedder, isLlmError, LlmError, type Provider } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import type { HostEntry } from './base/host-entry.js'
import { joinHosts } from './base/host-entry.js'
import type { ModelConfig } from './config/model-config.js'
import { type ModelEntry, type ModelPool, poolConfig } from './config/model-entry.js'
import { parseModel } from './config/model-string.js'
import { callCreator, type LoadCreators, newProviderWith } from './create/creation.js'
import { rowFor } from './providers/own-row.js'
import { apiHosts } from './resolve/hosts.js'
import { keyedModels, missingKeyOf } from './resolve/keyed-models.js'
import { type FactoryContext, resolveModel } from './resolve/resolve.js'

/**
 * Options of `createRegistry`: how configurations are read, and which roles need no model of their
 * own.
 */
export interface RegistryOptions extends FactoryContext {
  /**
   * Roles that use the model of another role if they have none: that model, or with `cheapest` the
   * cheapest model of its provider. Default
   * `{ shield: { role: 'chat' }, sub_agent: { role: 'chat', cheapest: true } }`; `{}` for none.
   */
  readonly fallbackRoles?:
    | Readonly<Record<string, { readonly role: string; readonly cheapest?: boolean }>>
    | undefined
}

const usualFallbackRoles: NonNullable<RegistryOptions['fallbackRoles']> = {
  shield: { role: 'chat' },
  sub_agent: { role: 'chat', cheapest: true },
}

/**
 * Models by name, and roles that use them. Each provider is made on first use, so a model that does
 * not work does not affect the others. Models and roles may change while the program runs; the next
 * call sees the change.
 */
export class Registry {
  readonly #entries = new Map<string, ModelEntry>()
  readonly #roles = new Map<string, string>()
  readonly #providers = new Map<string, Promise<Provider>>()
  readonly #load: LoadCreators
  readonly #context: FactoryContext
  readonly #fallbackRoles: NonNullable<RegistryOptions['fallbackRoles']>

  /** @throws {LlmError} `config` — a role names a model that is not there. */
  constructor(load: LoadCreators, pool: ModelPool, options: RegistryOptions = {}) {
    const { fallbackRoles = usualFallbackRoles, ...context } = options
    this.#load = load
    this.#context = context
    this.#fallbackRoles = fallbackRoles
    const value: unknown = pool
    const { models, roles } = (value ?? {}) as {
      readonly models?: unknown
      readonly roles?: unknown
    }
    if (!Array.isArray(models) || typeof roles !== 'object' || roles === null)
      throw configError(
        'createRegistry: give { models: [{ name, provider, model }], roles: { chat: NAME } }',
      )
    for (const entry of pool.models) this.register(entry)
    for (const [role, name] of Object.entries(pool.roles)) this.setRole(role, name)
  }

  /**
   * Adds a model, or replaces the one of this name.
   * @throws {LlmError} `config` — no name, an unknown provider, or an unknown field.
   */
  register(entry: ModelEntry): void {
    const name: unknown = (entry as Partial<ModelEntry> | null)?.name
    if (typeof name !== 'string' || !name.trim()) throw configError('model "": give it a name')
    const { name: _, purpose: __, fallback: ___, ...config } = entry
    rowFor(parseModel(config), this.#context.table)
    this.#entries.set(entry.name, entry)
    // Others may fall back to it.
    this.#providers.clear()
  }

  /** Gives a role to a model. @throws {LlmError} `config` — there is no such model. */
  setRole(role: string, name: string): void {
    if (!this.#entries.has(name)) throw this.#unknownModel(name)
    this.#roles.set(role, name)
  }

  /** The provider of a model. Rejects typed, naming the model. */
  async provider(name: string): Promise<Provider> {
    return this.#once(name, name, () => this.config(name))
  }

  /**
   * The provider for a role, or for the role that it falls back to. Rejects `config` if there is no
   * model for either.
   */
  async forRole(role: string): Promise<Provider> {
    const name = this.#roles.get(role)
    if (name !== undefined) return this.provider(name)
    const spare = Object.hasOwn(this.#fallbackRoles, role) ? this.#fallbackRoles[role] : undefined
    const other = spare && this.#roles.get(spare.role)
    if (!spare || other === undefined) throw this.#unknownRole(role)
    const provider = await this.provider(other)
    if (!spare.cheapest || provider.cheapestModel === provider.model) return provider
    const { cheapestModel } = provider
    // The model may stand in `provider`, after its colon.
    return this.#once(other, `${other}\n${cheapestModel}`, () => {
      const { config } = resolveModel({ ...this.config(other), fallback: undefined }, this.#context)
      return { ...config, model: cheapestModel }
    })
  }

  /** The provider that talks with the user. */
  chat(): Promise<Provider> {
    return this.forRole('chat')
  }

  /** The provider that judges what the others do. */
  shield(): Promise<Provider> {
    return this.forRole('shield')
  }

  /** The provider for delegated work. */
  subAgent(): Promise<Provider> {
    return this.forRole('sub_agent')
  }

  /** The embedder of the role, `embedding` by default. Rejects like {@link Registry.forRole}. */
  async embedder(role = 'embedding'): Promise<Embedder> {
    const name = this.#roles.get(role)
    if (name === undefined) throw this.#unknownRole(role)
    return named(name, callCreator(this.#load, 'createEmbedder', this.config(name), this.#context))
  }

  /** Name of the model that a role is given to; '' for none. */
  roleName(role: string): string {
    return this.#roles.get(role) ?? ''
  }

  /** Role → name of its model; a copy. */
  roleMapping(): Record<string, string> {
    return Object.fromEntries(this.#roles)
  }

  /** Names of all models, in the order they were added. */
  modelNames(): string[] {
    return [...this.#entries.keys()]
  }

  /** The model of this name. */
  entry(name: string): ModelEntry | undefined {
    return this.#entries.get(name)
  }

  /**
   * The configuration of a model with those of its fallbacks.
   * @throws {LlmError} `config` — there is no such model, or the fallbacks form a cycle.
   */
  config(name: string): ModelConfig {
    return poolConfig(name, (one) => {
      const entry = this.#entries.get(one)
      if (!entry) throw this.#unknownModel(one)
      return entry
    })
  }

  /**
   * Every host that any of the models contacts, in the order the models were added. A model that
   * cannot be read adds none; {@link warnings} names it.
   */
  apiHosts(): HostEntry[] {
    return joinHosts(this.#hosts().flatMap(({ hosts }) => (hosts ? [hosts] : [])))
  }

  /**
   * What the application should know: models whose configuration cannot be read or whose key is
   * missing, and a chat model that judges itself.
   */
  warnings(): string[] {
    return [...this.#hosts().flatMap(({ problem }) => problem ?? []), ...this.#sameModelWarnings()]
  }

  #hosts(): { readonly hosts?: HostEntry[]; readonly problem?: string }[] {
    return this.modelNames().map((name) => {
      try {
        const config = this.config(name)
        const { warning = missingKeyOf(config, this.#context) } = keyedModels(config, this.#context)
        return {
          hosts: apiHosts(config, this.#context),
          ...(warning && { problem: `model "${name}": ${warning}` }),
        }
      } catch (error) {
        if (!isLlmError(error)) throw error
        return { problem: `model "${name}": ${error.message}` }
      }
    })
  }

  #sameModelWarnings(): string[] {
    const [chat, shield] = ['chat', 'shield'].map(
      (role) => this.#roles.get(role) ?? this.#roles.get('chat'),
    )
    if (chat === undefined || shield === undefined || !this.#roles.has('shield')) return []
    const [one, other] = [chat, shield].map((name) => this.#readable(name))
    if (!one || !other) return []
    if (one.provider !== other.provider || one.model !== other.model) return []
    return [
      `Cross-model evaluation is recommended: chat and shield are both ${one.provider}:${one.model ?? ''}`,
    ]
  }

  #readable(name: string): ModelConfig | undefined {
    try {
      return resolveModel(this.config(name), this.#context).config
    } catch {
      return undefined
    }
  }

  #unknownModel(name: string): LlmError {
    const names = this.modelNames()
    return configError(
      `model "${name}" not found in registry${suggest(name, names, '')}; there are ${names.join(', ') || 'none'}`,
    )
  }

  #unknownRole(role: string): LlmError {
    return configError(
      `no model assigned to role "${role}"; give it one with setRole, or in the roles of the file. Roles that have one: ${[...this.#roles.keys()].join(', ') || 'none'}`,
    )
  }

  async #once(name: string, key: string, config: () => ModelConfig): Promise<Provider> {
    const provider = this.#providers.get(key)
    if (provider) return provider
    const loading = named(name, newProviderWith(this.#load, config(), this.#context))
    this.#providers.set(key, loading)
    // A failure is not kept: the key may be there the next time.
    loading.catch(() => {
      if (this.#providers.get(key) === loading) this.#providers.delete(key)
    })
    return loading
  }
}

/** Says which model failed. */
async function named<T>(name: string, provider: Promise<T>): Promise<T> {
  try {
    return await provider
  } catch (error) {
    throw isLlmError(error)
      ? new LlmError(error.code, `model "${name}": ${error.message}`, { cause: error })
      : error
  }
}
