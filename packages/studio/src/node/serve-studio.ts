import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { dirname, extname } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { configError } from '@modelport/core'
import { challengeHeader, proofHeader } from '../protocol/program-proof.js'
import { newChallenge, proofOf } from '../server/program-proof.js'
import type { Studio } from '../server/studio.js'
import type { StudioAsset } from '../server/studio-options.js'

/** Configuration of {@link serveStudio}. */
export interface ServeStudioOptions {
  /** TCP port on 127.0.0.1. Default 0: the system chooses one. */
  readonly port?: number | undefined
  /**
   * File in which programs of this user find the studio: written readable by its owner only, one
   * address a line, the newest first; its own is removed at the end. Default: none.
   */
  readonly addressFile?: string | undefined
}

/** A studio that is being served. */
export interface ServedStudio {
  /** Address with a one-time token in its fragment: open it within a minute. */
  readonly url: string
  /** Another address, for another browser: it works once, for a minute. */
  newUrl(): string
  /** Address with the token of programs, for `MODELPORT_STUDIO`. */
  readonly programUrl: string
  /** TCP port on 127.0.0.1. */
  readonly port: number
  /** Stops every run, keeps it, and closes all connections. */
  close(): Promise<void>
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** The built page: next to the built package, or in it when this runs from the sources. */
function builtPage(): string {
  const folders = ['./page/', '../../dist/page/'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const found = folders.find((folder) => existsSync(`${folder}app.js`))
  if (found === undefined)
    throw configError('the page of the studio is not built; build @modelport/studio first')
  return found
}

/**
 * Reads the built page, for the option `assets`. `folder` defaults to the one in this package.
 * @throws {LlmError} `config` — the page is not built.
 */
export async function loadPage(
  folder: string = builtPage(),
): Promise<Readonly<Record<string, StudioAsset>>> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const asset: StudioAsset = {
        body: await readFile(`${folder}/${name}`, 'utf8'),
        type: types[extname(name)] ?? '',
      }
      return [`/${name}`, asset] as const
    }),
  )
  return Object.fromEntries(files)
}

/** Serves the studio on 127.0.0.1 only. */
export async function serveStudio(
  studio: Studio,
  { port = 0, addressFile }: ServeStudioOptions = {},
): Promise<ServedStudio> {
  // The request of an attached program stays open as long as the program runs.
  const serverOptions = { requestTimeout: 0 }
  const options = { hostname: '127.0.0.1', port, serverOptions, overrideGlobalObjects: false }
  const server = serve({ fetch: (request) => studio.fetch(request), ...options })
  await once(server, 'listening')
  const actual = (server.address() as AddressInfo).port
  studio.listenOn(actual)
  const newUrl = (): string => `http://127.0.0.1:${actual}/#token=${studio.oneTimeToken()}`
  const programUrl = `http://127.0.0.1:${actual}/#${studio.programToken}`
  if (addressFile !== undefined) await writeAddress(addressFile, programUrl, true)
  return {
    url: newUrl(),
    newUrl,
    programUrl,
    port: actual,
    close: async () => {
      if (addressFile !== undefined) await writeAddress(addressFile, programUrl, false)
      await studio.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}

/** Addresses that are kept. */
const mostAddresses = 4
/** How long a studio of this machine may take to prove that it runs. */
const proofMs = 1000

/**
 * Puts the address before those of the studios that run already, or takes it out. One a line. An
 * address whose studio was killed is dropped: its port may be somebody else's.
 */
async function writeAddress(path: string, address: string, isRunning: boolean): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  const read = (): string[] =>
    (existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []).filter(
      (one) => one && one !== address,
    )
  const asked = read().slice(0, mostAddresses)
  const gone = await Promise.all(asked.map(isGone))
  const dead = new Set(asked.filter((_, index) => gone[index]))
  // Read again: another studio may have written meanwhile.
  const others = read().filter((one) => !dead.has(one))
  const all = [...(isRunning ? [address] : []), ...others].slice(0, mostAddresses)
  if (all.length === 0) {
    rmSync(path, { force: true })
    return
  }

  // Made anew: a file in its place may be readable by others, or a link. It comes as a whole:
  // whoever reads it meanwhile finds the one before.
  const whole = `${path}.${process.pid}`
  rmSync(whole, { force: true })
  writeFileSync(whole, all.join('\n'), { mode: 0o600, flag: 'wx' })
  renameSync(whole, path)
}

/**
 * True if nothing listens at this address, or if what listens cannot prove that it knows the token,
 * which is not sent. A studio that does not respond in time is busy, or its process is stopped.
 */
async function isGone(address: string): Promise<boolean> {
  if (!URL.canParse(address)) return true
  const url = new URL(address)
  const challenge = newChallenge()
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), proofMs)
  try {
    const { headers } = await fetch(new URL('/attach', url), {
      method: 'POST',
      headers: { [challengeHeader]: challenge },
      redirect: 'manual',
      signal: end.signal,
    })
    return headers.get(proofHeader) !== (await proofOf(url.hash.slice(1), 'studio', challenge))
  } catch {
    return !end.signal.aborted
  } finally {
    clearTimeout(timer)
    end.abort()
  }
}
