import type { HarnessConfig } from '@modelport/conformance'
import {
  type ErrorCode,
  type FinishReason,
  isLlmError,
  LlmError,
  type Provider,
  ProviderError,
  type TokenCounts,
} from '@modelport/core'
import {
  createNeutralDecoder,
  createProvider,
  type Driver,
  type NeutralRecord,
  type Turn,
  toErrorCode,
  toNeutralError,
  toNeutralResponse,
} from '@modelport/driver'

/** The key that every peer is given; the kit looks for it in everything that comes out. */
export const apiKey = 'sk-conformance-4b1f0c7e9d'
/** The address that every peer is given. The kit's server responds there, in memory. */
export const baseUrl = 'http://conformance.test/v1'

/** What the adapter of a peer is asked: one turn of a conversation over Chat Completions. */
export interface PeerRequest {
  readonly turn: Turn
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
}

/** One peer: another library, asked as its own documentation says. */
export interface Peer {
  /** Name and the packages whose versions are reported. */
  readonly name: string
  readonly packages: readonly string[]
  /**
   * Sends one turn, and says what the library reports of the reply. Throws what the library throws.
   */
  ask(request: PeerRequest): AsyncIterable<NeutralRecord>
}

/**
 * A provider whose requests and replies are the peer's. Readers, turns of a conversation and
 * retries around them are ours, so the kit's rules on those say nothing of the peer and are not
 * counted.
 * @param unnamed the code of a failure for which the library documents neither a status nor a kind
 */
export function toProvider(
  { name, ask }: Peer,
  { fetch, ...common }: HarnessConfig,
  unnamed: ErrorCode,
): Provider {
  const driver: Driver<Turn> = {
    name,
    framing: 'ndjson',
    request: (turn) => turn,
    send: async (turn, { signal }) => {
      const records = ask({ turn, fetch: fetch, signal })[Symbol.asyncIterator]()
      const next = async (): Promise<NeutralRecord | undefined> => {
        try {
          const { done, value } = await records.next()
          return done ? undefined : value
        } catch (error) {
          throw signal.aborted ? signal.reason : toProviderError(name, error, unnamed)
        }
      }
      // A failed status shows at the first record. Any other failure is the stream's own.
      let first: Promise<NeutralRecord | undefined> | undefined = next()
      await first.catch((error: unknown) => {
        if (signal.aborted || statusOf(error) !== undefined) throw error
      })
      return toNeutralResponse(
        {
          next: () => {
            const record = first ?? next()
            first = undefined
            return record
          },
          cancel: () => void records.return?.(undefined).catch(() => undefined),
        },
        turn.stream,
      )
    },
    decoder: createNeutralDecoder,
    error: (failure) => toNeutralError(name, failure),
  }
  return createProvider(driver, { ...common, model: 'model', cheapestModel: 'model', hosts: [] })
}

/**
 * The library's error by the status it documents, or else as `unnamed`. Its words stay as they are.
 */
function toProviderError(provider: string, error: unknown, unnamed: ErrorCode): LlmError {
  if (isLlmError(error)) return error
  const status = statusOf(error)
  const requestId = requestIdOf(error)
  const words = error instanceof Error ? error.message : String(error)
  const code = status === undefined ? unnamed : toErrorCode(status)
  return new ProviderError(
    code,
    // The kit wants the status and the code in the message, in whatever words.
    status === undefined ? words : `${status} ${code}: ${words}`,
    {
      provider,
      host: new URL(baseUrl).host,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
    },
    { cause: error },
  )
}

/**
 * `statusCode` (AI SDK), `status` (the official SDKs, on which LangChain, TanStack AI and Agents JS
 * stand).
 */
function statusOf(error: unknown): number | undefined {
  const { statusCode, status, cause } = Object(error) as Record<string, unknown>
  const found = [statusCode, status].find(
    (value): value is number => Number.isInteger(value) && Number(value) >= 400,
  )
  return found ?? (cause === undefined ? undefined : statusOf(cause))
}

/** `requestID` of the official SDKs, or the header among those that the AI SDK keeps. */
function requestIdOf(error: unknown): string | undefined {
  const { requestID, responseHeaders, cause } = Object(error) as {
    readonly requestID?: unknown
    readonly responseHeaders?: Readonly<Record<string, string>>
    readonly cause?: unknown
  }
  const found = typeof requestID === 'string' ? requestID : responseHeaders?.['x-request-id']
  return found ?? (cause === undefined ? undefined : requestIdOf(cause))
}

/** The text of a message's content. */
export const textOfContent = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (content as readonly { readonly type: string; readonly text?: string }[])
        .map((part) => {
          if (part.type !== 'text')
            throw new LlmError(
              'unsupported',
              `the adapter does not send parts of type ${part.type}`,
            )
          return part.text ?? ''
        })
        .join('')

/** The system messages of a turn, for libraries that take them apart from the conversation. */
export const systemTextsOf = ({ messages }: Turn): readonly string[] =>
  messages.flatMap((message) => (message.role === 'system' ? [textOfContent(message.content)] : []))

/** The schema of a tool that takes no arguments. */
export const noParameters = { type: 'object' as const, properties: {} }

/** Finish reasons by the names that the API and the libraries give them. */
const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  'content-filter': 'content-filter',
  tool_calls: 'tool-calls',
  'tool-calls': 'tool-calls',
  toolUse: 'tool-calls',
  error: 'error',
  unknown: 'unknown',
}

/** The end of a reply. Counts that the library does not report are left out. */
export function toEnd(
  reason: string | null | undefined,
  usage: Readonly<Partial<Record<keyof TokenCounts, number | undefined>>>,
  raw?: string | null,
): NeutralRecord {
  const counts = Object.entries(usage).filter(([, count]) => count !== undefined)
  return {
    type: 'end',
    finish: typeof reason === 'string' ? (reasons[reason] ?? 'other') : 'unknown',
    ...(typeof raw === 'string' && { raw }),
    usage: Object.fromEntries(counts),
  }
}
