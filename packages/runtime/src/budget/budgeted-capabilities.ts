import type {
  ImageGenerator,
  RequestOptions,
  Reranker,
  SpeechGenerator,
  TokenUsage,
  Transcriber,
} from '@modelport/core'
import type { BudgetLedger } from './budget.js'
import { type RequestPrice, reserveRequest } from './request-reservation.js'

/** The price of a capability; needed if a budget of the chain has `maxCost`. */
export interface CapabilityPrice {
  /** For one image, one thousand characters of speech, one recording at the longest, or one ranking. */
  readonly perUnit: number
  /** Its currency. Default `USD`. */
  readonly currency?: string
}

/**
 * The generator, counted: a call takes room in the ledger before it is sent, as do its retries. Without `count` one image is reserved.
 * Its calls also reject `budget-exceeded`.
 */
export const budgetImages = (
  generator: ImageGenerator,
  ledger: BudgetLedger,
  price?: CapabilityPrice,
): ImageGenerator => ({
  name: generator.name,
  model: generator.model,
  generateImages: (prompt, options = {}) =>
    count(ledger, priceOf(price, options.count ?? 1), options, (own) =>
      generator.generateImages(prompt, { ...options, ...own }),
    ),
})

/** The same for speech, by its characters. */
export const budgetSpeech = (
  generator: SpeechGenerator,
  ledger: BudgetLedger,
  price?: CapabilityPrice,
): SpeechGenerator => ({
  name: generator.name,
  model: generator.model,
  speak: (text, options = {}) =>
    count(ledger, priceOf(price, text.length / 1000), options, (own) => generator.speak(text, { ...options, ...own })),
})

/** The same for recordings: how long one is, is not known before. */
export const budgetTranscriber = (
  transcriber: Transcriber,
  ledger: BudgetLedger,
  price?: CapabilityPrice,
): Transcriber => ({
  name: transcriber.name,
  model: transcriber.model,
  transcribe: (audio, options = {}) =>
    count(ledger, priceOf(price, 1), options, (own) => transcriber.transcribe(audio, { ...options, ...own })),
})

/** The same for rankings; none is counted without documents, since no request is made. */
export const budgetReranker = (reranker: Reranker, ledger: BudgetLedger, price?: CapabilityPrice): Reranker => ({
  name: reranker.name,
  model: reranker.model,
  rerank: (query, documents, options = {}) =>
    documents.length
      ? count(ledger, priceOf(price, 1), options, (own) => reranker.rerank(query, documents, { ...options, ...own }))
      : reranker.rerank(query, documents, options),
})

const priceOf = (price: CapabilityPrice | undefined, units: number): RequestPrice | undefined =>
  price && { cost: price.perUnit * units, ...(price.currency !== undefined && { currency: price.currency }) }

/** Makes a call with a reservation, within the remaining time; each retry reserves again. */
async function count<T extends { readonly usage: TokenUsage }>(
  ledger: BudgetLedger,
  price: RequestPrice | undefined,
  { deadlineMs, retry, signal }: RequestOptions,
  call: (own: RequestOptions) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const room = reserveRequest(ledger, price)
  const least = Math.min(deadlineMs ?? Infinity, room.deadlineMs ?? Infinity)
  try {
    const result = await call({
      ...(least < Infinity && { deadlineMs: least }),
      retry: {
        ...retry,
        onRetry: (notice) => {
          room.retried(notice.error)
          retry?.onRetry?.(notice)
        },
      },
    })
    room.settle(result.usage)
    return result
  } catch (error) {
    room.failed(error)
    throw error
  }
}
