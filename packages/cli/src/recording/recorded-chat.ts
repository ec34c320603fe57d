import { type CallOptions, type ChatMessage, LlmError, type ToolDefinition, type ToolResult } from '@modelport/core'
import { type ModelConfig, resolveModel } from '@modelport/factory'
import {
  type Cassette,
  type CassetteRecorder,
  parseCassette,
  recordCassette,
  replayCassette,
  type CassettePlayer,
} from '@modelport/provider-mock'
import type { Cli } from '../program/cli.js'
import type { NamedModel } from '../models/configured-models.js'
import { writePrivateFile } from '../files/private-file.js'
import { readTextFile } from '../files/text-file.js'
import type { LocalTool } from '../tools/tool-module.js'
import { withoutSecrets } from '../secrets/without-secrets.js'

/** What was asked while a cassette was recorded: enough to ask it again without a configuration, a key or the tools' code. */
export interface RecordedAsk {
  readonly model: Pick<ModelConfig, 'provider' | 'model' | 'baseUrl' | 'vendor' | 'defaults' | 'azure' | 'settings'>
  readonly options: CallOptions
  readonly prompt: string
  /** What a chat went on with, each after the answer before it. */
  readonly followUps?: readonly string[]
  /** The conversation before the prompt, of a chat that was resumed. */
  readonly history?: readonly ChatMessage[]
  readonly tools: readonly ToolDefinition[]
  /** What the tools answered, in order. */
  readonly results: readonly ToolResult[]
}

/** The model, with a recorder between it and the network. @throws {LlmError} `unsupported` — it opens no connection. */
export function toRecorded(
  model: NamedModel,
  { context }: Cli,
): { readonly config: ModelConfig; readonly recorder: CassetteRecorder } {
  const { proxy, row } = resolveModel(model.config, context)
  if (row.offline)
    throw new LlmError('unsupported', `${row.name}: it opens no connection, so there is nothing to record`)
  const recorder = recordCassette(proxy && { proxy: proxy.url() })
  // Fallbacks would be recorded without saying so.
  const { fallback: _, ...config } = model.config
  return { config: { ...config, fetch: recorder.fetch }, recorder }
}

/** What a recording must remember of its model: nothing that is secret, nothing that differs on another computer. */
export function toRecordedModel({ config }: NamedModel, { context }: Cli): RecordedAsk['model'] {
  const {
    config: { provider, model, vendor, defaults, azure, settings },
    baseUrl,
  } = resolveModel(config, context)
  return {
    provider,
    ...(model !== undefined && { model }),
    ...(baseUrl && baseUrl.source !== 'default' && { baseUrl: baseUrl.href }),
    ...(vendor && { vendor }),
    ...(defaults && { defaults }),
    ...(azure?.deployment !== undefined && {
      azure: { deployment: azure.deployment, ...(azure.apiVersion !== undefined && { apiVersion: azure.apiVersion }) },
    }),
    ...(settings && { settings }),
  }
}

/** Writes a cassette with what was asked beside it, texts in `secrets` taken out. Other programs read it as a plain cassette. */
export const saveRecording = (
  path: string,
  cassette: Cassette,
  asked: RecordedAsk,
  secrets: readonly string[],
): Promise<void> =>
  writePrivateFile(path, `${withoutSecrets(JSON.stringify({ ...cassette, asked }, undefined, 2), secrets)}\n`)

/** Says what was kept, and where. */
export const toKept = (exchanges: number, file: string): string =>
  `recorded ${exchanges} ${exchanges === 1 ? 'exchange' : 'exchanges'} in ${file}; read it before you share it`

/** A recording that can be asked again. @throws {LlmError} `config` — it is none, or was not made by `modelport record`. */
export async function loadRecording(
  path: string,
  mode: 'strict' | 'lenient',
): Promise<{ readonly asked: RecordedAsk; readonly player: CassettePlayer; readonly config: ModelConfig }> {
  let stored: { readonly asked?: unknown } | null
  try {
    stored = JSON.parse(await readTextFile(path)) as typeof stored
  } catch (error) {
    if (error instanceof SyntaxError) throw new LlmError('config', `cassette: ${path} is not JSON`)
    throw error
  }
  const cassette = parseCassette(stored)
  const asked = stored?.asked
  if (!isRecordedAsk(asked))
    throw new LlmError('config', `cassette: ${path} was not made by "modelport record": it does not say what was asked`)
  const player = replayCassette(cassette, { mode })
  // Which key is sent does not matter to a cassette, and nothing is sent.
  return {
    asked,
    player,
    config: { ...asked.model, apiKey: 'no-key-is-sent', fetch: (input, init) => player(input, init) },
  }
}

function isRecordedAsk(value: unknown): value is RecordedAsk {
  const {
    model,
    options,
    prompt,
    followUps = [],
    history = [],
    tools,
    results,
  } = (value ?? {}) as Readonly<Record<string, unknown>>
  return (
    typeof prompt === 'string' &&
    [model, options].every((one) => typeof one === 'object' && one !== null) &&
    [followUps, history, tools, results].every(Array.isArray)
  )
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
