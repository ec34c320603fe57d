import {
  isLlmError,
  type ProviderErrorDetails,
  type TokenUsage,
  toUsage,
  zeroCounts,
} from '@modelport/core'
import { type CallMetrics, measureCall } from '../../budget/metrics.js'
import type { RunState } from '../state/run-state.js'

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
  { provider, profile, tally, signal }: RunState,
  error: unknown,
  { latencyMs, kind, ...estimated }: FailedRequest,
): void {
  const { name, model } = provider
  const { status = 200, partial } = (error ?? {}) as Partial<ProviderErrorDetails>
  // A request that was refused is not paid for.
  const isRefused = status >= 400 && !partial
  const metrics = measureCall({
    provider: name,
    model,
    latencyMs,
    ...(partial?.usage && { usage: partial.usage }),
    estimated: isRefused ? { inputTokens: 0, outputTokens: 0 } : estimated,
    ...(profile && { profile }),
  })
  const code = signal.aborted ? 'cancelled' : isLlmError(error) ? error.code : 'unknown'
  tally.addFailure(
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
