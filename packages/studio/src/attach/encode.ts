import type { TokenUsage } from '@modelport/core'
import { type CountedCall, sumOfCalls } from '../protocol/own-calls.js'

/** Maximum characters of a line; longer ones lose the long texts in them. */
const longestLine = 1_000_000
/** Maximum characters of one text in a line that would be too long. */
const longestText = 20_000

/** Names of fields that say how something went, not what was said. */
const facts = [
  't',
  's',
  'k',
  'p',
  'at',
  'v',
  'type',
  'runId',
  'step',
  'seq',
  'provider',
  'model',
  'attempt',
  'streaming',
  'native',
  'metrics',
  'cost',
  'totalCost',
  'currency',
  'bound',
  'costBound',
  'latencyMs',
  'finishReason',
  'budget',
  'spent',
  'status',
  'limit',
  'code',
  'actionId',
  'action',
  'tool',
  'agent',
  'callId',
  'id',
  'name',
  'toolCall',
  'recoverable',
  'phase',
  'effect',
  'reason',
  'observed',
  'maximum',
  'decision',
  'retryInSeconds',
  'nextAttempt',
  'errorType',
  'parseFailures',
  'state',
  'role',
  'usage',
  'turns',
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheCreationTokens',
  'reasoningTokens',
  'reported',
  'estimated',
  'taskId',
  'sessionId',
  'error',
  'events',
  'messages',
  'percent',
  'manifest',
  'blocks',
  'kind',
  'index',
  'tokens',
  'cached',
  'cause',
  'block',
  'option',
  'cachedTokens',
  'same',
  'totalEstimatedTokens',
  'contextWindow',
  'own',
  'prices',
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'cacheWriteHour',
  'tiers',
  'above',
  'n',
]

const short = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > longestText
    ? `${value.slice(0, 1000)} … (${value.length - 1000} more characters were left out)`
    : value

/**
 * A line for the studio: the head as it is, then the value. Without content it has only facts:
 * names, counts, codes.
 */
export function encode(head: string, value: unknown, withContent: boolean): string {
  let text: string | undefined
  try {
    text = withContent ? JSON.stringify(value) : JSON.stringify(value, facts)
    if (text.length > longestLine) text = JSON.stringify(value, short)
  } catch {
    // Circular, or not JSON.
  }
  return `{${head},"v":${text ?? '{}'}}`
}

const ofEnds = ['status', 'transcript', 'messages', 'usage', 'message', 'finishReason', 'events']

/** The value that ends a span, with what the studio shows of it. */
export function toEnd(value: unknown): object {
  const { metrics, ...rest } = (typeof value === 'object' ? value : {}) as {
    metrics?: { readonly calls?: readonly (CountedCall & { readonly recorded?: true })[] }
    error?: unknown
  }
  const calls = metrics?.calls?.filter(({ recorded }) => !recorded)
  const error = value instanceof Error || typeof value !== 'object' ? value : rest.error
  const shown =
    value === error ? [] : Object.entries(rest).filter(([name]) => ofEnds.includes(name))
  const { code, name, message, partial } = (error ?? {}) as {
    code?: string
    name?: string
    message?: string
    partial?: { readonly usage?: TokenUsage }
  }
  // A call that broke off is charged for what came.
  const usage = value === error ? partial?.usage : undefined
  const problem = { code: code ?? name ?? 'unknown', message: message ?? String(error) }
  return {
    ...Object.fromEntries(shown),
    ...(usage && { usage }),
    ...(calls && { own: sumOfCalls(calls) }),
    ...(error !== undefined && { error: problem }),
  }
}
