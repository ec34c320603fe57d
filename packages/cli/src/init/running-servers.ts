import { once } from 'node:events'
import { connect } from 'node:net'
import { isObject } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import type { ProviderRow } from '@modelport/factory'
import { textOfResponse } from '../models/server-facts.js'

/** Maximum milliseconds for a server on this computer. */
const timeoutMs = 500

/**
 * Names of the providers whose server runs on this computer, at its usual port. Ollama is asked for
 * its models (`/api/tags`), so that another program at its port is not mistaken for it. For the
 * others, only the port is tried. No other computer is contacted.
 */
export async function findRunning(
  rows: readonly ProviderRow[],
  signal: AbortSignal,
): Promise<Set<string>> {
  const found = await Promise.all(
    rows.map(async ({ name, selfHosted, baseUrl }) => {
      if (!selfHosted || typeof baseUrl !== 'string' || new URL(baseUrl).hostname !== 'localhost')
        return []
      const port = Number(new URL(baseUrl).port)
      return (await (name === 'ollama' ? isOllama(port, signal) : listens(port, signal)))
        ? [name]
        : []
    }),
  )
  return new Set(found.flat())
}

/** True if Ollama's list of models is at this port. */
export async function isOllama(port: number, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/tags`, {
      redirect: 'error',
      signal: inTime(signal),
    })
    const list = response.ok
      ? tryParseJson(await textOfResponse(response))
      : await response.body?.cancel()
    return isObject(list) && Array.isArray(list['models'])
  } catch {
    return false
  }
}

async function listens(port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect', { signal: inTime(signal) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

const inTime = (signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
