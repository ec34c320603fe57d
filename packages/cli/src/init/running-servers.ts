import { get } from 'node:http'
import { connect } from 'node:net'
import type { ProviderRow } from '@modelport/factory'

/** Maximum milliseconds for a server on this computer. */
const timeout = 500

/**
 * Names of the providers whose server runs on this computer, at its usual port. Ollama is asked for its models (`/api/tags`), so that another
 * program at its port is not mistaken for it. For the others, only the port is tried. No other computer is contacted.
 */
export async function findRunning(rows: readonly ProviderRow[], signal: AbortSignal): Promise<Set<string>> {
  const found = await Promise.all(
    rows.map(async ({ name, selfHosted, baseUrl }) => {
      if (!selfHosted || typeof baseUrl !== 'string' || new URL(baseUrl).hostname !== 'localhost') return []
      const port = Number(new URL(baseUrl).port)
      return (await (name === 'ollama' ? isOllama(port, signal) : listens(port, signal))) ? [name] : []
    }),
  )
  return new Set(found.flat())
}

/** True if Ollama's list of models is at this port. */
export function isOllama(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/api/tags', timeout, signal }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > 1_048_576) request.destroy()
      })
      response.on('end', () => {
        resolve(response.statusCode === 200 && hasModels(text))
      })
    })
    request.once('timeout', () => request.destroy())
    request.once('close', () => {
      resolve(false)
    })
    // `close` follows, and answers.
    request.once('error', () => undefined)
  })
}

function hasModels(text: string): boolean {
  try {
    return Array.isArray((JSON.parse(text) as { readonly models?: unknown } | null)?.models)
  } catch {
    return false
  }
}

function listens(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout, signal })
    const settle = (listening: boolean) => () => {
      socket.destroy()
      resolve(listening)
    }
    socket.once('connect', settle(true))
    socket.once('timeout', settle(false))
    socket.once('error', settle(false))
  })
}
