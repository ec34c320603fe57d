import { processEnvironment } from './env.js'
import { type HostEntry, hostPort, joinHosts, toHostEntry } from './host-entry.js'
import type { ModelConfig } from './model-config.js'
import { type FactoryContext, resolveModel } from './resolve.js'

/**
 * `host:port` that a provider of this configuration asks for answers, or '' for one that opens no connection. Loads no provider
 * and contacts nothing.
 * @throws {LlmError} `config` — there is no such provider, or its address is missing; `invalid-base-url`.
 */
export function apiHost(config: ModelConfig | string, context?: FactoryContext): string {
  const api = hostsOf(config, context).find(({ purpose }) => purpose === 'api')
  return api ? hostPort(api) : ''
}

/**
 * Every host that providers of these configurations contact, in their order, each once: what a sandbox must allow. With a proxy
 * configured it is the proxy that is dialled; the hosts behind it are marked `viaProxy`. Fallbacks are included.
 * @throws {LlmError} as {@link apiHost}
 */
export function apiHosts(configs: ModelConfig | string | readonly (ModelConfig | string)[], context?: FactoryContext): HostEntry[] {
  const list: readonly (ModelConfig | string)[] = isList(configs) ? configs : [configs]
  return joinHosts(list.map((config) => hostsOf(config, context)))
}

const isList = (configs: ModelConfig | string | readonly (ModelConfig | string)[]): configs is readonly (ModelConfig | string)[] => Array.isArray(configs)

function hostsOf(model: ModelConfig | string, context: FactoryContext = {}): HostEntry[] {
  const { row, config, baseUrl, proxy } = resolveModel(model, context)
  const api = baseUrl ? [toHostEntry(baseUrl, { purpose: 'api', phase: 'runtime', required: true, source: baseUrl.source })] : []
  const further = row.furtherHosts?.(config, context.environment ?? processEnvironment) ?? []
  const own = [...api, ...further].map((entry): HostEntry => (proxy ? { ...entry, viaProxy: true } : entry))
  const dialled = proxy ? [toHostEntry(proxy, { purpose: 'proxy', phase: 'runtime', required: true, source: proxy.source })] : []
  const fallback = (config.fallback ?? []).map((spare) =>
    hostsOf(spare, context).map((entry): HostEntry => ({ ...entry, required: false, when: entry.when ?? `${row.name} fails` })))
  return joinHosts([own, dialled, ...fallback])
}
