import { type ChatMessage, estimateTokens, isLlmError } from '@modelport/core'
import {
  type CompactionResult,
  ConversationHistory,
  compact,
  createSummarizer,
} from '@modelport/runtime'
import { AgentError } from '../base/agent-error.js'
import { createId, type Entropy, timestampOf } from '../base/ids.js'
import { linkSignals } from '../base/linked-signal.js'
import { defaultCompaction, type HistoryCompactionRequest } from '../models/compaction-control.js'
import { sessionBusy } from '../session/session-busy.js'
import { foldSession, type SessionKey, type SessionStore } from '../session/session-store.js'
import type { Agent } from './agent.js'
import { budgetOf } from './budget-of.js'
import { allowsCompaction } from './policy.js'

/** A conversation that was made shorter. */
export interface CompactedSession {
  /** What is left. */
  readonly messages: readonly ChatMessage[]
  /** What was done. */
  readonly report: CompactionResult
}

/**
 * Makes the conversation of a session shorter, and stores it if that changed anything. It waits for
 * its turn, at most five minutes, and no task of the session begins meanwhile. A summary is a run
 * of its own, out of the budget of the agent. If its process dies, the conversation is as it was,
 * the call stays charged in full, and the turn is free after five minutes.
 * @throws {AgentError} `invalid-params` — the request is not valid; `forbidden` — the policy of the
 * agent does not allow it; `busy` — somebody else has the turn of the session, whom `metadata.turn`
 * names; `conflict` — the session changed meanwhile; `internal` — the model made no summary, or the
 * budget has too little left for one.
 */
export async function compactSession(
  sessions: SessionStore,
  entropy: Entropy,
  agent: Agent,
  key: SessionKey,
  request: Partial<HistoryCompactionRequest>,
  signal?: AbortSignal,
): Promise<CompactedSession> {
  const { policy } = agent.settings
  if (!allowsCompaction(policy))
    throw new AgentError('forbidden', 'The policy of the agent does not allow llm.history.compact')
  const { seq } = await sessions.head(key)
  if (seq === 0) return compactFree(sessions, entropy, agent, key, request, signal)
  const holder = `compaction:${createId('evt', entropy)}`
  const limit = linkSignals(signal ? [signal] : [], maxWaitMs)
  const other = await sessions.take(key, holder, limit.signal).finally(() => limit.release())
  signal?.throwIfAborted()
  if (other !== undefined) throw sessionBusy(key, other)
  try {
    return await compactFree(sessions, entropy, agent, key, request, signal, holder)
  } finally {
    await sessions.release(key, holder)
  }
}

/** Maximum milliseconds that a compaction waits for the turn of its session. */
const maxWaitMs = 300_000

/** Compacts a session whose turn nobody else has. */
async function compactFree(
  sessions: SessionStore,
  entropy: Entropy,
  agent: Agent,
  key: SessionKey,
  request: Partial<HistoryCompactionRequest>,
  signal: AbortSignal | undefined,
  holder?: string,
): Promise<CompactedSession> {
  const { provider, profile, capabilities } = agent.settings
  const head = await sessions.head(key)
  const history = new ConversationHistory()
  history.replace(foldSession(await sessions.read(key, head.start)))
  const report = await compact(
    history,
    { ...defaultCompaction, ...request },
    {
      estimate: (text) => provider?.estimateTokens(text) ?? estimateTokens(text),
      ...(signal && { signal }),
      ...(provider && {
        summarize: createSummarizer(provider, {
          limits: { budget: budgetOf(agent, key.principal), profile, capabilities },
        }),
      }),
    },
  ).catch((error: unknown) => {
    if (signal?.aborted || !isLlmError(error)) throw error
    if (error.code === 'config' || error.code === 'invalid-request')
      throw new AgentError('invalid-params', error.message, { cause: error })
    // The text of a server is not passed on; an empty summary is a `protocol` error of our own.
    const why = error.code === 'protocol' ? 'its summary is empty or cannot be read' : error.code
    throw new AgentError(
      'internal',
      `The model made no summary (${why}); the conversation is as it was`,
      {
        cause: error,
      },
    )
  })
  const messages = history.toList()
  if (report.changed)
    await sessions.append(
      key,
      head.seq,
      [{ type: 'replaced', reason: 'compacted', messages, report }],
      timestampOf(entropy),
      holder,
    )
  return { messages, report }
}
