import {
  configError,
  type ErrorCode,
  type FinishReason,
  isLlmError,
  longestTimer,
  ProviderError,
} from '@modelport/core'
import type { ModelConfig } from '../config/model-config.js'
import {
  callCreator,
  type LoadCreators,
  newProviderWith,
  withEmbeddingModel,
} from '../create/creation.js'
import { apiHost } from '../resolve/hosts.js'
import { type FactoryContext, resolveModel } from '../resolve/resolve.js'

/** A connection that works. */
export interface ConnectionReport {
  /** From before the request to the end of its reply, in milliseconds. */
  readonly latencyMs: number
  /** The model that replied, as the server names it. */
  readonly model: string
}

/** How to test. */
export interface TestConnectionOptions {
  /** True asks for one embedding instead of a reply. Default false. */
  readonly embedding?: boolean | undefined
  /**
   * Maximum milliseconds for everything: loading, name, connection, headers, body; above 0, at most
   * 2,147,483,647. Default 15,000.
   */
  readonly timeoutMs?: number | undefined
  /** Aborts the test. */
  readonly signal?: AbortSignal | undefined
  /** Providers and environment to use instead of the program's own. */
  readonly context?: FactoryContext | undefined
}

const prompt = 'Respond with OK'

/** Makes the provider and one request. See `testConnection`. */
export async function checkConnection(
  load: LoadCreators,
  config: ModelConfig | string,
  apiKey: string | undefined,
  options: TestConnectionOptions = {},
): Promise<ConnectionReport> {
  const { context = {}, embedding = false, timeoutMs = 15_000, signal } = options
  if (!(timeoutMs > 0 && timeoutMs <= longestTimer)) {
    throw configError(
      `testConnection: timeoutMs must be a number above 0 and at most ${longestTimer}, not ${String(timeoutMs)}`,
    )
  }

  const namedConfig = embedding ? withEmbeddingModel(config, context) : config
  const { row, config: resolvedConfig } = resolveModel(namedConfig, context)
  // Only this model is tested: a fallback would reply in its place.
  const { fallback: _, ...oneModel } = resolvedConfig
  const testConfig = { ...oneModel, ...(apiKey !== undefined && { apiKey }) }

  const sendTest = async (stopSignal: AbortSignal): Promise<ConnectionReport> => {
    const call = { signal: stopSignal, deadlineMs: timeoutMs }
    if (embedding) {
      const embedder = await callCreator(load, 'createEmbedder', testConfig, context)
      const startedAt = performance.now()
      await embedder.embed(['OK'], call)
      return { latencyMs: performance.now() - startedAt, model: embedder.model }
    }

    const provider = await newProviderWith(load, testConfig, context)
    const startedAt = performance.now()
    const { message, text, finishReason } = await provider.generate(
      [{ role: 'user', content: prompt }],
      {
        ...call,
        maxTokens: row.fewestTokens ?? 5,
        temperature: null,
        retry: { attempts: 1 },
      },
    )
    checkReply(row.name, text, finishReason)
    return {
      latencyMs: performance.now() - startedAt,
      model: message.origin?.model ?? provider.model,
    }
  }

  const host = apiHost(namedConfig, context)
  const timeout = new ProviderError(
    'timeout',
    `${row.name}: timeout (deadline)${host && ` at ${host}`}: no reply within ${timeoutMs} ms`,
    { provider: row.name, reason: 'deadline', ...(host && { host }) },
  )
  return within(timeoutMs, timeout, signal, sendTest)
}

/**
 * Rejects a reply that does not show that the model works. An empty reply that reached the token
 * limit passes, since reasoning models give such replies.
 */
function checkReply(provider: string, text: string, reason: FinishReason): void {
  const refuse = (code: ErrorCode, problem: string): never => {
    throw new ProviderError(code, `${provider}: ${problem}`, { provider })
  }
  if (reason === 'content-filter')
    refuse(
      'content-filter',
      'the test prompt was refused by a content filter; check the filter of the account or the deployment',
    )
  if (reason === 'error')
    refuse('server', "the reply ended with an error; try again, and look at the server's log")
  if (!text && reason === 'stop')
    refuse(
      'protocol',
      'the reply is empty; check that the base URL leads to this API and the model is a chat model',
    )
}

/**
 * Runs the whole test under one timer, which also ends work that ignores its signal.
 * @param timeout thrown when the time is over
 */
async function within<T>(
  timeoutMs: number,
  timeout: ProviderError,
  caller: AbortSignal | undefined,
  work: (stopSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  caller?.throwIfAborted()
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(timeout), timeoutMs)
  const stopSignal = AbortSignal.any([limit.signal, ...(caller ? [caller] : [])])
  const stop = new Promise<never>((_, reject) => {
    stopSignal.addEventListener('abort', () => reject(stopSignal.reason as Error), { once: true })
  })
  try {
    return await Promise.race([work(stopSignal), stop])
  } catch (error) {
    // The provider's own deadline, which is the same, may be first.
    const isDeadline =
      isLlmError(error, 'timeout') && (error as Partial<ProviderError>).reason === 'deadline'
    throw isDeadline ? timeout : error
  } finally {
    clearTimeout(timer)
  }
}
