import {
  type JsonObject,
  LlmError,
  type MediaBytes,
  type RequestOptions,
  type TokenUsage,
  toUsage,
  zeroCounts,
} from '@modelport/core'
import { createEndpointClient, decodeBase64, namedError } from '@modelport/driver'
import type { GoogleConfig } from './config.js'
import { toGoogleError } from './error.js'
import { providerName } from './model-state.js'
import { createClient } from './provider.js'
import { UsageReport } from './usage.js'
import type { WireCandidate, WireResponse } from './wire.js'
import { listOf, stringOf } from './wire-values.js'

/** What a model made: files, and what was counted. */
export interface GeneratedFiles {
  /** At least one, in the order of the parts. */
  readonly files: readonly MediaBytes[]
  readonly usage: TokenUsage
}

/** Asks a model for files of one kind. */
export type AskForFiles = (
  kind: 'image' | 'audio',
  parts: readonly JsonObject[],
  generationConfig: JsonObject,
  options: RequestOptions,
) => Promise<GeneratedFiles>

/** Reasons to end by which the vendor says that it filtered the reply. @see https://ai.google.dev/api/generate-content#FinishReason (read 2026-11-22) */
const filtered =
  /^(SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_SAFETY|IMAGE_PROHIBITED_CONTENT|IMAGE_RECITATION)$/

/**
 * How to ask a model for images or audio by `generateContent`.
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration does not work.
 */
export function filesOf(config: GoogleConfig): AskForFiles {
  const { model } = config
  const client = createClient(config)
  const endpoint = createEndpointClient(providerName, toGoogleError, client.settings)
  return async (kind, parts, generationConfig, options) => {
    const body = { contents: [{ role: 'user', parts }], generationConfig }
    const { url, headers } = await client.request('generateContent', model)
    const response = await endpoint.json<WireResponse | null>({ url, headers, body }, options)
    return { files: toFiles(kind, response), usage: usageOf(response) }
  }
}

/** @throws {LlmError} `invalid-request` — the text is empty. */
export function checkText(what: string, text: unknown): asserts text is string {
  if (typeof text !== 'string' || !text.trim())
    throw namedError(providerName, 'invalid-request', `${what} is empty; give it text`)
}

/** The error for an option that the API cannot express. */
export const unsupported = (why: string): LlmError => namedError(providerName, 'unsupported', why)

function toFiles(kind: 'image' | 'audio', response: WireResponse | null): MediaBytes[] {
  const [candidate] = listOf(response?.candidates)
  const parts = listOf(candidate?.content?.parts).filter(({ thought }) => thought !== true)
  const files = parts.flatMap(({ inlineData }): MediaBytes[] => {
    const mediaType = stringOf(inlineData?.mimeType)
    if (!mediaType?.startsWith(`${kind}/`)) return []
    const data = decodeBase64(stringOf(inlineData?.data) ?? '')
    if (!data?.length) throw namedError(providerName, 'protocol', 'a part of the reply is not base64')
    return [{ data, mediaType }]
  })
  if (files.length) return files
  throw missing(kind, response, candidate)
}

/** A reply without a file: filtered, or of another form. */
function missing(kind: string, response: WireResponse | null, candidate: WireCandidate | undefined): LlmError {
  const reason = String(response?.promptFeedback?.blockReason ?? candidate?.finishReason ?? '')
  const why = stringOf(response?.promptFeedback?.blockReasonMessage) ?? stringOf(candidate?.finishMessage) ?? reason
  const blocked = response?.promptFeedback?.blockReason !== undefined || filtered.test(reason)
  return blocked
    ? namedError(providerName, 'content-filter', `the vendor filtered the ${kind}: ${why}`)
    : new LlmError('protocol', `${providerName}: protocol: the reply has no ${kind}${why && ` (${why})`}`)
}

function usageOf(response: WireResponse | null): TokenUsage {
  let counts: object | undefined
  const report = new UsageReport({
    usage: (counted) => {
      counts = Object.fromEntries(Object.entries(counted).filter(([, value]) => value !== undefined))
    },
    details: () => undefined,
    warning: () => undefined,
  })
  if (response?.usageMetadata) report.take(response.usageMetadata)
  return toUsage([{ ...zeroCounts, ...counts }], 0, counts !== undefined)
}
