import { type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici'
import { parseProxy } from './proxy.js'
import { agentOptions, type PendingConnects } from './undici-connects.js'

/**
 * Needs the whole of undici, and loads it. All connections through a proxy count as leading to one
 * place: the proxy.
 */
export function createProxyAgent(
  connectMs: number,
  proxy: string,
  pending: PendingConnects,
): ProxyAgent {
  const createPool = (origin: URL | string, options: object): Pool => {
    const { connect } = options as { readonly connect: buildConnector.connector }
    return new Pool(origin, { ...options, connect: pending.wrap('', connect) })
  }
  return new ProxyAgent({
    ...agentOptions,
    ...toProxyOptions(proxy),
    connectTimeout: connectMs,
    factory: createPool,
    clientFactory: (origin, options) => closeTunnels(createPool(origin, options)),
  })
}

/**
 * Closes a tunnel whose request is gone also while TLS begins inside of it: undici forgets the
 * signal once the proxy has agreed.
 */
function closeTunnels(pool: Pool): Pool {
  const open = pool.connect.bind(pool)
  const connect = async (options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const opened = await open(options)
    const { signal } = options
    if (signal instanceof AbortSignal) {
      signal.addEventListener('abort', () => opened.socket.destroy(), { once: true })
      if (signal.aborted) opened.socket.destroy()
    }
    return opened
  }
  return Object.assign(pool, { connect })
}

/** The password is for the proxy only; a header of the request would reach the server too. */
function toProxyOptions(proxy: string): { readonly uri: string; readonly token?: string } {
  const { href, userinfo } = parseProxy(proxy)
  return {
    uri: href,
    ...(userinfo && { token: `Basic ${Buffer.from(userinfo).toString('base64')}` }),
  }
}
