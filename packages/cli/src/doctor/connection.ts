import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { ProviderError, type ProviderErrorDetails } from '@modelport/core'
import { type HostEntry, hostPort } from '@modelport/factory'

const reasons: Readonly<Record<string, ProviderErrorDetails['reason'] & string>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_NODATA: 'dns',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
}
/** A system that forbids connections says so with one of these. */
const denied = ['ERR_ACCESS_DENIED', 'EACCES', 'EPERM']

/** The addresses of a host name; of an address itself. */
export async function resolveName(host: string): Promise<string[]> {
  const name = host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(name)) return [name]
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address)
  } catch (error) {
    throw toFailure(error, host)
  }
}

/** Opens a connection. */
export async function openSocket(entry: HostEntry, signal: AbortSignal): Promise<Socket> {
  let socket: Socket | undefined
  try {
    socket = connectTcp({ host: entry.host.replace(/^\[(.*)\]$/, '$1'), port: entry.port })
    await once(socket, 'connect', { signal })
    // A server that hangs up later is for the request to tell.
    socket.on('error', () => undefined)
    return socket
  } catch (error) {
    socket?.destroy()
    throw toFailure(error, hostPort(entry))
  }
}

/** An open connection to a proxy, with its `host:port` and the value of `Proxy-Authorization`. */
export interface DialledProxy {
  readonly socket: Socket
  readonly host: string
  readonly authorization: string | undefined
}

/**
 * Asks a proxy for a way to the target. The text of a refusal is kept: sandboxes name themselves
 * there.
 */
export async function openTunnel(
  { socket: proxy, host: proxyHost, authorization }: DialledProxy,
  target: HostEntry,
  signal: AbortSignal,
): Promise<void> {
  const address = hostPort(target)
  const password = authorization === undefined ? '' : `proxy-authorization: ${authorization}\r\n`
  proxy.write(`CONNECT ${address} HTTP/1.1\r\nhost: ${address}\r\n${password}\r\n`)
  let head = ''
  try {
    while (!head.includes('\r\n\r\n') && head.length < 16_384) {
      const [chunk] = (await Promise.race([
        once(proxy, 'data', { signal }),
        once(proxy, 'end', { signal }).then(() => []),
      ])) as [Buffer?]
      if (!chunk) break
      head += chunk.toString('latin1')
    }
  } catch (error) {
    throw toFailure(error, proxyHost)
  }
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1])
  if (status >= 200 && status < 300) return
  const said = /^x-proxy-error:\s*(.*)$/im.exec(head)?.[1]?.trim() ?? ''
  const what = status
    ? `the proxy at ${proxyHost} answered ${status} to CONNECT ${address}`
    : `the server at ${proxyHost} is not a proxy`
  throw new ProviderError('network', `${said ? `${what}: ${said}` : what} (proxy response)`, {
    provider: 'doctor',
    host: address,
    ...(status && { status }),
  })
}

/** Makes the connection a secure one, and resolves once the certificate is checked. */
export async function openTls(
  socket: Socket,
  entry: HostEntry,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const name = entry.host.replace(/^\[(.*)\]$/, '$1')
  const secure = connectTls({
    socket,
    host: name,
    ALPNProtocols: ['http/1.1'],
    ...(!isIP(name) && { servername: name }),
  })
  try {
    await once(secure, 'secureConnect', { signal })
    secure.on('error', () => undefined)
    return secure
  } catch (error) {
    secure.destroy()
    if (signal.aborted) throw toFailure(error, hostPort(entry))
    throw new ProviderError(
      'network',
      `${hostPort(entry)}: ${messageOf(error)}`,
      { provider: 'doctor', host: hostPort(entry), reason: 'tls' },
      { cause: error },
    )
  }
}

/** True if a server responds to a plain request with HTTP. */
export const speaksHttp = (entry: HostEntry, signal: AbortSignal): Promise<boolean> =>
  probe(entry, signal, async (socket) => {
    socket.write(`HEAD / HTTP/1.1\r\nhost: ${hostPort(entry)}\r\nconnection: close\r\n\r\n`)
    const [chunk] = (await once(socket, 'data', { signal })) as [Buffer]
    return chunk.toString('latin1').startsWith('HTTP/')
  })

/** True if a server takes part in a TLS handshake, whatever its certificate. */
export const speaksTls = (entry: HostEntry, signal: AbortSignal): Promise<boolean> =>
  probe(entry, signal, async (socket) => {
    const name = entry.host.replace(/^\[(.*)\]$/, '$1')
    // Nothing is sent over this connection: it only shows which protocol the server speaks.
    const secure = connectTls({
      socket,
      rejectUnauthorized: false,
      ...(!isIP(name) && { servername: name }),
    })
    await once(secure, 'secureConnect', { signal })
    return true
  })

async function probe(
  entry: HostEntry,
  signal: AbortSignal,
  ask: (socket: Socket) => Promise<boolean>,
): Promise<boolean> {
  let socket: Socket | undefined
  try {
    socket = await openSocket(entry, signal)
    return await ask(socket)
  } catch {
    return false
  } finally {
    socket?.destroy()
  }
}

function toFailure(error: unknown, host: string): unknown {
  const code = codeOf(error)
  if ((error as { readonly name?: unknown }).name === 'AbortError') {
    return new ProviderError('timeout', `${host}: no response in time`, {
      provider: 'doctor',
      host,
      reason: 'connect',
    })
  }
  if (denied.includes(code))
    return new ProviderError(
      'network',
      `${host}: refused by this system or its sandbox: ERR_ACCESS_DENIED (${code})`,
      {
        provider: 'doctor',
        host,
      },
    )
  const reason = reasons[code]
  return new ProviderError(
    code === 'ETIMEDOUT' ? 'timeout' : 'network',
    `${host}: ${messageOf(error)}`,
    { provider: 'doctor', host, ...(reason && { reason }) },
    { cause: error },
  )
}

/** The code of the error; if several addresses were tried, of the first that has one. */
function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as {
    readonly code?: unknown
    readonly errors?: readonly unknown[]
  }
  return typeof code === 'string' ? code : errors?.length ? codeOf(errors[0]) : ''
}

const messageOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  return message || (code ?? 'failed')
}
