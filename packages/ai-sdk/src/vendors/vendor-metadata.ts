import type { ReplyDetails, TokenUsage } from '@modelport/core'
import { defined } from '@modelport/driver'

type Fields = Readonly<Record<string, unknown>>

/** What the details and the counts of a reply are in the metadata of the vendor's package. */
export type MetadataOf = (details: ReplyDetails, usage: TokenUsage) => Fields

type Logprob = NonNullable<ReplyDetails['logprobs']>[number]

const toLogprob = ({ token, logprob, top = [] }: Logprob): Fields => ({
  token,
  logprob,
  top_logprobs: top,
})

/** What the package of OpenAI has of a reply of the Responses API. */
export const responsesMetadata: MetadataOf = ({ responseId, serviceTier, logprobs }) =>
  defined({
    responseId,
    serviceTier,
    // One list for each text of the reply.
    logprobs: logprobs && [logprobs.map(toLogprob)],
  })

/** A part of a reply, as far as its item can be found. */
export interface PartOfReply {
  readonly type: string
  readonly toolCallId?: string
}

/** What the package of OpenAI has of a part of a reply of the Responses API, so far. */
export function responsesPart(
  { type, toolCallId }: PartOfReply,
  { items = {} }: ReplyDetails,
): Fields | undefined {
  const kind = type.startsWith('reasoning') ? 'reasoning' : 'message'
  const itemId = Object.keys(items).findLast((id) =>
    toolCallId === undefined ? items[id]?.type === kind : items[id]?.callId === toolCallId,
  )
  const item = itemId === undefined ? undefined : items[itemId]
  if (!item) return undefined
  const { annotations } = item
  return { itemId, ...(annotations && { annotations }) }
}

/** What the package of OpenAI has of a reply of Chat Completions. */
export const chatMetadata: MetadataOf = ({ logprobs, serviceTier }) =>
  defined({ serviceTier, logprobs: logprobs?.map(toLogprob) })

/** What the package of Anthropic has of a reply. */
export const messagesMetadata: MetadataOf = (
  { stopText, container, serviceTier },
  { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens },
) => {
  const { expires_at: expiresAt, ...rest }: Fields = container ?? {}
  return {
    usage: {
      input_tokens: inputTokens - cacheReadTokens - cacheCreationTokens,
      output_tokens: outputTokens,
      cache_creation_input_tokens: cacheCreationTokens,
      cache_read_input_tokens: cacheReadTokens,
      ...(serviceTier !== undefined && { service_tier: serviceTier }),
    },
    cacheCreationInputTokens: cacheCreationTokens,
    stopSequence: stopText ?? null,
    container: container ? { ...rest, ...defined({ expiresAt }) } : null,
  }
}

/** Names under which the grounding of a reply is reported, as it stood on the wire. */
const groundings: ReadonlySet<string> = new Set([
  'google_search',
  'file_search',
  'google_maps',
  'retrieval',
])

/** What the package of Google has of a reply. */
export const geminiMetadata: MetadataOf = ({
  providerToolCalls = [],
  safety = [],
  serviceTier,
}) => ({
  groundingMetadata: providerToolCalls.findLast(({ name }) => groundings.has(name))?.data ?? null,
  urlContextMetadata:
    providerToolCalls.findLast(({ name }) => name === 'url_context')?.data ?? null,
  safetyRatings: safety.findLast(({ subject }) => subject === 'reply')?.data ?? null,
  ...defined({ serviceTier }),
})
