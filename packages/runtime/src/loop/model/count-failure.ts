import {
  isLlmError,
  type ProviderErrorDetails,
  type TokenUsage,
  toUsage,
  zeroCounts,
} from '@modelport/core'
import { type CallMetrics, measureCall } from '../../budget/metrics.js'
import type { Uses } from '../state/run-state.js'

/** The usage of a failed request. */
export interface FailedRequest {
  readonly latencyMs: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** See {@link CallMetrics}. */
  readonly kind?: CallMetrics['kind']
}

/** Counts a request that brought no reply. */
export function countFailure(
  { models, meter, request }: Uses<'request' | 'models' | 'meter'>,
  error: unknown,
  { latencyMs, kind, ...estimated }: FailedRequest,
): void {
  const { name, model } = models.provider
  const { status = 200, partial } = (error ?? {}) as Partial<ProviderErrorDetails>
  // A request that was refused is not paid for.
  const isRefused = status >= 400 && !partial
  const metrics = measureCall({
    provider: name,
    model,
    latencyMs,
    ...(partial?.usage && { usage: partial.usage }),
    estimated: isRefused ? { inputTokens: 0, outputTokens: 0 } : estimated,
    ...(models.profile && { profile: models.profile }),
  })
  const code = request.signal.aborted ? 'cancelled' : isLlmError(error) ? error.code : 'unknown'
  meter.tally.addFailure(
    { ...metrics, ...(kind && { kind }), error: code },
    usageOf(partial?.usage, estimated),
  )
}

/**
 * What the server reported; an estimate, if it reported nothing and a part of the reply had come;
 * else undefined.
 */
function usageOf(
  given: TokenUsage | undefined,
  estimated: Pick<TokenUsage, 'inputTokens' | 'outputTokens'>,
): TokenUsage | undefined {
  if (given?.reported) return given
  return estimated.outputTokens > 0
    ? toUsage([{ ...zeroCounts, ...estimated }], 0, false)
    : undefined
}
