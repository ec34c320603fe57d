import { LlmError, parseBaseUrl } from '@modelport/core'
import type { ModelConfig } from '@modelport/factory'
import { type Cassette, type CassettePlayer, parseCassette, replayCassette } from '@modelport/provider-mock'
import { readTextFile } from '../files/text-file.js'
import type { LocalTool } from '../tools/tool-module.js'
import { type RecordedAsk, readRecordedAsk } from './recorded-ask.js'

/** A recording, ready to be asked again. */
export interface Recording {
  readonly asked: RecordedAsk
  readonly player: CassettePlayer
  /** Its `fetch` is the player, and behind it only recorded hosts are allowed. */
  readonly config: ModelConfig
}

const noKey = 'no-key-is-sent'

/** Reads a recording. @throws {LlmError} `config` — it is not one, or was not made by `modelport record`. */
export async function loadRecording(path: string, mode: 'strict' | 'lenient'): Promise<Recording> {
  let stored: { readonly asked?: unknown } | null
  try {
    stored = JSON.parse(await readTextFile(path)) as typeof stored
  } catch (error) {
    if (error instanceof SyntaxError) throw new LlmError('config', `cassette: ${path} is not JSON`)
    throw error
  }
  const cassette = parseCassette(stored)
  const asked = readRecordedAsk(stored?.asked, path)
  const player = replayCassette(cassette, { mode })
  const { azure, vertex, ...model } = asked.model
  return {
    asked,
    player,
    // What is not the cassette's comes last: it cannot be replaced. The player does not compare keys.
    config: {
      ...model,
      ...(azure && { azure }),
      ...(vertex && { vertex: { ...vertex, accessToken: () => noKey } }),
      fallback: undefined,
      apiKey: noKey,
      enforceHosts: hostsOf(cassette, path),
      fetch: (input, init) => player(input, init),
    },
  }
}

function hostsOf({ exchanges }: Cassette, path: string): string[] {
  try {
    return [...new Set(exchanges.map(({ request }) => parseBaseUrl(request.url.split('?', 1)[0] ?? '').host))]
  } catch {
    throw new LlmError('config', `cassette: ${path}: an exchange has no request with a URL`)
  }
}

/** Tools that answer what they answered then. */
export function toRecordedTools({ tools, results }: RecordedAsk): LocalTool[] {
  // Ids may come again in a later answer.
  const left = [...results]
  return tools.map((definition) => ({
    definition,
    check: (args) => Promise.resolve(args),
    execute: (_, { callId }) => {
      const place = left.findIndex((one) => one.callId === callId)
      const [result] = place < 0 ? [] : left.splice(place, 1)
      if (!result) throw new Error('no result was recorded for this call')
      if (result.isError)
        throw new Error(typeof result.content === 'string' ? result.content : JSON.stringify(result.content))
      return Promise.resolve(result.content)
    },
  }))
}
