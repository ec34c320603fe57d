import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { configError } from '@modelport/core'
import { isLoopback } from '@modelport/core/settings'

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
 * @param onUnsafe called if others can write or read the file, which is not used then
 * @throws {LlmError} `config` — `MODELPORT_STUDIO` is not an address with a token, or is that of
 * another machine.
 */
export function findAddress(
  environment: NodeJS.ProcessEnv,
  attempt: number,
  onUnsafe: (message: string) => void = () => undefined,
): StudioAddress | undefined {
  const given = environment['MODELPORT_STUDIO']
  if (given === 'off') return undefined
  if (given) return parseAddress(given)
  try {
    const text = readOwnFile(addressFile(environment), onUnsafe)
    if (text === undefined) return undefined
    const addresses = text.trim().split('\n')
    return parseAddress(addresses[attempt % addresses.length] ?? '')
  } catch {
    // No studio runs, or its file is being written.
    return undefined
  }
}

/** The text of a file that belongs to this user alone; undefined for any other file. */
function readOwnFile(path: string, onUnsafe: (message: string) => void): string | undefined {
  const file = openSync(path, 'r')
  try {
    const { uid, mode } = fstatSync(file)
    const own = process.getuid?.()
    // Windows has neither; a folder of the user is closed to others there.
    const isOwn = own === undefined || (uid === own && (mode & 0o077) === 0)
    if (isOwn) return readFileSync(file, 'utf8')
    onUnsafe(
      `${path} belongs to another user, or others can use it: this program is shown in no studio; delete the file and start the studio again`,
    )
    return undefined
  } finally {
    closeSync(file)
  }
}

function parseAddress(text: string): StudioAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const token = url?.hash.slice(1)
  if (url?.protocol !== 'http:' || !token || token.startsWith('token='))
    throw configError(
      'MODELPORT_STUDIO is not the address of a studio; set it to http://127.0.0.1:PORT/#TOKEN, the programUrl of modelport studio --json, or to off',
    )
  if (!isLoopback(url.hostname))
    throw configError(
      `MODELPORT_STUDIO names ${url.host}, which is another machine; forward a port of this one to it`,
    )
  return { url: new URL('/attach', url), token }
}
