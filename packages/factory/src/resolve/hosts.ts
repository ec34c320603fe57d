import { parseBaseUrl } from '@modelport/core'
import { processEnvironment } from '../base/env.js'
import { type HostEntry, hostPort, joinHosts, toHostEntry } from '../base/host-entry.js'
import { fallbackOrder } from '../config/fallback-order.js'
import type { ModelConfig } from '../config/model-config.js'
import type { ResolvedModel } from '../providers/row.js'
import { type FactoryContext, resolveModel } from './resolve.js'

/**
 * `host:port` that a provider of this configuration sends requests to, or '' for one that opens no
 * connection. Loads no provider and contacts nothing.
 * @throws {LlmError} `config` — there is no such provider, or its address is missing;
 * `invalid-base-url`.
 * @example
 * ```ts
 * import { apiHost } from '@modelport/factory'
 *
 * console.log(apiHost('anthropic:claude-sonnet-5')) // api.anthropic.com:443
 * ```
 *
 * ```text
 * api.anthropic.com:443
 * ```
 */
export function apiHost(config: ModelConfig | string, context?: FactoryContext): string {
  const api = ownHosts(resolveModel(config, context), context).find(
    ({ purpose }) => purpose === 'api',
  )
  return api ? hostPort(api) : ''
}

/**
 * Every host that providers of these configurations contact, in their order, each once: what a
 * sandbox must allow. With a proxy configured it is the proxy that is dialled; the hosts behind it
 * are marked `viaProxy`. Fallbacks are included, and those of fallbacks.
 * @throws {LlmError} as {@link apiHost}
 */
export function apiHosts(
  configs: ModelConfig | string | readonly (ModelConfig | string)[],
  context?: FactoryContext,
): HostEntry[] {
  const list: readonly (ModelConfig | string)[] = isList(configs) ? configs : [configs]
  return joinHosts([...list.flatMap((config) => hostsOf(config, context)), ...studioHosts()])
}

/** The studio that this program is shown in: `@modelport/studio/attach` sets the function. */
function studioHosts(): HostEntry[][] {
  const { [Symbol.for('modelport.studio')]: find } = globalThis as Readonly<
    Record<symbol, (() => string | undefined) | undefined>
  >
  const host = find?.()
  if (host === undefined) return []
  const when = 'this program is shown in a studio; MODELPORT_STUDIO=off ends that'
  const facts = {
    purpose: 'studio',
    phase: 'runtime',
    required: false,
    when,
    source: 'env',
  } as const
  return [[toHostEntry(parseBaseUrl(`http://${host}`), facts)]]
}

const isList = (
  configs: ModelConfig | string | readonly (ModelConfig | string)[],
): configs is readonly (ModelConfig | string)[] => Array.isArray(configs)

/** The hosts of a configuration, and of each it falls back to. */
function hostsOf(model: ModelConfig | string, context: FactoryContext | undefined): HostEntry[][] {
  const models = fallbackOrder(model).map((one) => resolveModel(one, context))
  const [first] = models
  const skips = typeof model !== 'string' && model.fallbackOptions?.missingKey === 'next'
  const fails = `${first?.row.name ?? ''} fails${skips ? ' or has no key' : ''}`
  return models.map((one) => {
    const own = ownHosts(one, context)
    return one === first
      ? own
      : own.map((entry): HostEntry => ({ ...entry, required: false, when: entry.when ?? fails }))
  })
}

function ownHosts(
  { row, config, baseUrl, proxy }: ResolvedModel,
  context: FactoryContext = {},
): HostEntry[] {
  const api = baseUrl
    ? [
        toHostEntry(baseUrl, {
          purpose: 'api',
          phase: 'runtime',
          required: true,
          source: baseUrl.source,
        }),
      ]
    : []
  const further = row.furtherHosts?.(config, context.environment ?? processEnvironment) ?? []
  const own = [...api, ...further].map(
    // A metadata server is on this machine's own link: it is asked without a proxy.
    (entry): HostEntry =>
      proxy && entry.purpose !== 'metadata' ? { ...entry, viaProxy: true } : entry,
  )
  return proxy
    ? [
        ...own,
        toHostEntry(proxy, {
          purpose: 'proxy',
          phase: 'runtime',
          required: true,
          source: proxy.source,
        }),
      ]
    : own
}
