import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { configError } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { type Cassette, parseCassette } from './cassette.js'
import { recordCassette } from './record-cassette.js'
import { type ReplayOptions, replayCassette } from './replay-cassette.js'

/** Configuration of {@link cassetteFetch}. */
export interface CassetteFileOptions {
  /** The cassette's file. */
  readonly path: string
  /**
   * `record` sends and writes the file anew, `replay` never sends, `auto` replays a file that is
   * there and records one that is not. Default `auto`; use `replay` where nothing may be sent, as
   * in CI.
   */
  readonly mode?: 'auto' | 'record' | 'replay'
  /** What sends while recording. Default: the transport that every provider uses. */
  readonly fetch?: Fetch
  /**
   * Address of an HTTP proxy to send through while recording. Default: none; that of the provider
   * is not used.
   */
  readonly proxy?: string
  /** Texts to take out besides keys, tokens and cookies. */
  readonly secrets?: readonly string[]
  /** How requests are compared. Default: strictly, in order. */
  readonly replay?: Pick<ReplayOptions, 'mode' | 'order'>
}

/** A `fetch` over a cassette's file. */
export interface CassetteFile extends Fetch {
  /** Whether requests are sent and recorded, or answered from the file. */
  readonly mode: 'record' | 'replay'
  /**
   * After recording writes the file; after replaying throws `config` when exchanges were not asked
   * for.
   */
  close(): Promise<void>
}

async function loadCassette(path: string): Promise<Cassette> {
  const text = await readText(path)
  if (text === undefined) throw configError(`cassette: there is no file ${path}; record it first`)
  let stored: unknown
  try {
    stored = JSON.parse(text)
  } catch {
    throw configError(`cassette: ${path} is not JSON`)
  }
  return parseCassette(stored)
}

/** Writes a cassette, whole or not at all, to be read by its owner only. */
async function saveCassette(path: string, cassette: Cassette): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${crypto.randomUUID()}.part`
  try {
    await writeFile(draft, `${JSON.stringify(cassette, undefined, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
    })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/**
 * Records a provider's HTTP to a file once, and plays it ever after.
 * @throws {LlmError} `config` — the file to replay is not there, no JSON, no cassette, or of an
 * unknown version.
 */
export async function cassetteFetch(options: CassetteFileOptions): Promise<CassetteFile> {
  const { path, mode = 'auto', fetch, proxy, secrets = [], replay } = options
  const replays = mode === 'replay' || (mode === 'auto' && (await readText(path)) !== undefined)
  if (replays) {
    const player = replayCassette(await loadCassette(path), { ...replay, secrets })
    const response: Fetch = (input, init) => player(input, init)
    return Object.assign(response, {
      mode: 'replay' as const,
      close: () =>
        Promise.resolve().then(() => {
          player.assertAllUsed()
        }),
    })
  }
  const recorder = recordCassette({
    secrets,
    ...(fetch && { fetch }),
    ...(proxy !== undefined && { proxy }),
  })
  const record: Fetch = (input, init) => recorder.fetch(input, init)
  return Object.assign(record, {
    mode: 'record' as const,
    close: () => saveCassette(path, recorder.cassette()),
  })
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}
