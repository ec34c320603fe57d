import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { configError } from '@modelport/core'

/** The studio that a program shows itself in. */
export interface StudioAddress {
  readonly url: URL
  readonly token: string
}

/**
 * The file in which running studios of this user write their addresses with their tokens, as
 * `parseAddress` reads them: one a line, the newest first.
 */
function addressFile({ XDG_STATE_HOME: state }: NodeJS.ProcessEnv): string {
  return join(
    state?.startsWith('/') ? state : join(homedir(), '.local/state'),
    'modelport/studio-address',
  )
}

/**
 * The address that `MODELPORT_STUDIO` names, or that of a running studio of this user: the newest
 * at first, each further attempt takes the one before, since a studio that was killed has left its
 * own. Undefined without either, and for `off`.
 * @throws {LlmError} `config` — `MODELPORT_STUDIO` is not an address with a token, or is that of
 * another machine.
 */
export function findAddress(
  environment: NodeJS.ProcessEnv,
  attempt: number,
): StudioAddress | undefined {
  const given = environment['MODELPORT_STUDIO']
  if (given === 'off') return undefined
  if (given) return parseAddress(given)
  try {
    const addresses = readFileSync(addressFile(environment), 'utf8').trim().split('\n')
    return parseAddress(addresses[attempt % addresses.length] ?? '')
  } catch {
    // No studio runs, or its file is being written.
    return undefined
  }
}

function parseAddress(text: string): StudioAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const token = url?.hash.slice(1)
  if (url?.protocol !== 'http:' || !token || token.startsWith('token='))
    throw configError(
      'MODELPORT_STUDIO is not the address of a studio; set it to http://127.0.0.1:PORT/#TOKEN, the programUrl of modelport studio --json, or to off',
    )
  if (!['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))
    throw configError(
      `MODELPORT_STUDIO names ${url.host}, which is another machine; forward a port of this one to it`,
    )
  return { url: new URL('/attach', url), token }
}
