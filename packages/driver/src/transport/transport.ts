import { LlmError } from '@modelport/core'
import type { Fetch } from '../base/driver.js'
import { defaultTimeouts } from '../base/limits.js'
import type { CommonConfig } from '../config/config.js'
import type { UndiciOptions } from './undici-transport.js'

/** Oldest Node that the transport runs on. */
const oldestNode = [22, 19] as const

interface Runtime {
  readonly process?: { readonly versions?: { readonly node?: string; readonly bun?: string } }
  readonly Deno?: unknown
}

const platformFetch: Fetch = (input, init) => globalThis.fetch(input, init)
const noProxy = (): LlmError =>
  new LlmError(
    'unsupported',
    'proxy works on Node only; elsewhere pass your own fetch that uses it',
  )

/**
 * The transport of a provider: the caller's own `fetch`; on Node a thin one over undici, loaded at
 * the first request; elsewhere the platform's `fetch`.
 * @throws {LlmError} `unsupported` — a proxy is configured where the transport cannot use one.
 */
export function createTransport(config: Pick<CommonConfig, 'fetch' | 'proxy' | 'timeouts'>): Fetch {
  const ownFetch = config.fetch
  // The platform's `fetch` must not be called as a method of the configuration.
  if (ownFetch) return (input, init) => ownFetch(input, init)
  const { process, Deno } = globalThis as Runtime
  const versions = process?.versions
  const isNode = versions?.node !== undefined && versions.bun === undefined && Deno === undefined
  if (!isNode) {
    if (config.proxy) throw noProxy()
    return platformFetch
  }
  if (isOlderThan(versions.node, oldestNode)) return () => Promise.reject(tooOld(versions.node))
  let loading: Promise<Fetch> | undefined
  let loaded: Fetch | undefined
  const connectMs = config.timeouts?.connectMs ?? defaultTimeouts.connectMs
  const load = async (): Promise<Fetch> => {
    loading ??= loadUndici({ connectMs, proxy: config.proxy })
    loaded = await loading
    return loaded
  }
  return (input, init) =>
    loaded ? loaded(input, init) : load().then((undiciFetch) => undiciFetch(input, init))
}

function isOlderThan(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor < major || (ownMajor === major && ownMinor < minor)
}

const tooOld = (version: string | undefined): LlmError =>
  new LlmError(
    'unsupported',
    `Node ${version} is too old: use Node ${oldestNode.join('.')} or newer, or pass your own fetch`,
  )

/**
 * A bundle for browsers and workers has no undici, and some workers call themselves Node: they get
 * the platform's `fetch`.
 */
async function loadUndici(options: UndiciOptions): Promise<Fetch> {
  const load: Promise<Partial<typeof import('./undici-transport.js')>> = import(
    './undici-transport.js'
  ).catch((cause: unknown) => {
    const message = `undici cannot be loaded; use Node 22.19 or newer, or pass a fetch of your own: ${String(cause)}`
    throw new LlmError('unsupported', message, { cause })
  })
  const { createUndiciFetch } = await load
  if (createUndiciFetch) return createUndiciFetch(options)
  if (options.proxy) throw noProxy()
  return platformFetch
}
