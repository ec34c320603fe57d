import { LlmError } from '@modelport/core'
import type { CommonConfig } from './config.js'
import type { Fetch } from './driver.js'
import { defaultTimeouts } from './limits.js'

interface Runtime {
  readonly process?: { readonly versions?: { readonly node?: string; readonly bun?: string } }
  readonly Deno?: unknown
}

/**
 * The transport of a provider: the caller's own `fetch`; on Node a thin one over undici, loaded at the first request; elsewhere
 * the platform's `fetch`.
 * @throws {LlmError} `unsupported` — a proxy is configured where the transport cannot use one.
 */
export function createTransport(config: Pick<CommonConfig, 'fetch' | 'proxy' | 'timeouts'>): Fetch {
  if (config.fetch) return config.fetch
  const { process, Deno } = globalThis as Runtime
  const node = process?.versions?.node !== undefined && process.versions.bun === undefined && Deno === undefined
  if (!node) {
    if (config.proxy) throw new LlmError('unsupported', 'proxy works on Node only; pass a fetch of your own that uses it')
    return (input, init) => globalThis.fetch(input, init)
  }
  let loaded: Promise<Fetch> | undefined
  const connectMs = config.timeouts?.connectMs ?? defaultTimeouts.connectMs
  return async (input, init) => {
    loaded ??= import('./undici-transport.js').then((module) => module.createUndiciFetch({ connectMs, proxy: config.proxy }))
    return (await loaded)(input, init)
  }
}
