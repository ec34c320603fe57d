import { configError, parseBaseUrl } from '@modelport/core'
import type { ModelConfig } from '@modelport/factory'
import { type Cassette, type CassettePlayer, parseCassette, replayCassette } from '@modelport/provider-mock'
import { type GivenLimits, type Tool, ToolFailure } from '@modelport/runtime'
import { readTextFile } from '../files/text-file.js'
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
    if (error instanceof SyntaxError) throw configError(`cassette: ${path} is not JSON`)
    throw error
  }
  const cassette = parseCassette(stored)
  const asked = readRecordedAsk(stored?.asked, path)
  const player = replayCassette(cassette, { mode })
  const { azure, vertex, ...model } = asked.model
  return {
    asked,
    player,
    // Settings that the cassette must not replace come last. The player does not compare keys.
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
    throw configError(`cassette: ${path}: an exchange has no request with a URL`)
  }
}

/** The tools of a recording. */
export interface RecordedTools {
  readonly tools: readonly Tool[]
  /** Called with the number of calls of each step, once it is over: the next step has the results that follow. */
  readonly advance: (calls: number) => void
}

/** Tools that return the recorded results. */
export function toRecordedTools({ tools, results }: RecordedAsk): RecordedTools {
  // Ids may come again in a later step, so results are removed with theirs.
  const left = [...results]
  return {
    tools: tools.map((definition) => ({
      definition,
      validate: (value) => ({ ok: true, value }),
      execute: (_value, { callId }) => {
        const result = left.find((one) => one.callId === callId)
        if (!result) throw new Error('no result was recorded for this call')
        if (result.isError) throw new ToolFailure(result.content)
        return result.content
      },
    })),
    advance: (calls) => {
      left.splice(0, calls)
    },
  }
}

/** The limits of a recording; a recording without limits had none. */
export const limitsOf = ({ limits }: RecordedAsk): GivenLimits =>
  limits ?? { maxSteps: Infinity, maxRepeats: Infinity, maxIdleSteps: Infinity, repeatWindow: 0 }
