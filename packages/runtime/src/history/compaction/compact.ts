import { type ChatMessage, configError, estimateTokens, LlmError } from '@modelport/core'
import type { ConversationHistory } from '../history.js'
import { messagesTokens } from '../message-tokens.js'
import { sourcesOf, withSources } from '../sources.js'
import { firstOfNewest, isSummary, newestRequest, summaryMark, toBlocks } from './blocks.js'
import type { CompactionRequest, CompactionResult, CompactionTools } from './request.js'
import { parseSummary } from './summary-text.js'
import { keepRecent, keepTokens } from './windows.js'

type Checked = {
  readonly [Name in keyof CompactionRequest]-?: NonNullable<CompactionRequest[Name]>
}

const defaults: Checked = {
  strategy: 'recent',
  maxMessages: 20,
  maxTokens: 4000,
  preserveRecent: 6,
  summaryMaxTokens: 512,
}
const least = { maxMessages: 2, maxTokens: 1, preserveRecent: 1, summaryMaxTokens: 1 } as const

/**
 * Makes a history shorter, in place, and reports what it did. The system prompt stays; a call is
 * never parted from its results. Without `estimate` tokens are counted by `estimateTokens` of core.
 * If it fails, the history stays as it was; messages that were appended meanwhile are kept.
 * @throws {LlmError} `config` — the strategy is unknown, a number too low, or `summarize` missing.
 * @throws {LlmError} `invalid-request` — the newest messages do not fit, or the history was changed
 * meanwhile; `protocol` — the summary is empty.
 */
export async function compact(
  history: ConversationHistory,
  request: CompactionRequest,
  given: Partial<CompactionTools> = {},
): Promise<CompactionResult> {
  const checked = checkCompaction(request)
  const tools: CompactionTools = { ...given, estimate: given.estimate ?? estimateTokens }
  if (checked.strategy === 'summary' && !tools.summarize)
    refuse('summary needs summarize; make one with createSummarizer(provider)')
  if (checked.strategy === 'summary') return summarizeHistory(history, checked, tools)
  const before = history.toList()
  const after =
    checked.strategy === 'recent'
      ? keepRecent(before, checked.maxMessages)
      : keepTokens(before, checked, tools.estimate)
  return commit(history, before, after, false, { ...checked, estimate: tools.estimate })
}

/** Checks a request and fills in its defaults. @throws {LlmError} `config` */
export function checkCompaction(request: CompactionRequest): Checked {
  const given = Object.entries(request).filter(([, value]) => value !== undefined)
  const checked: Checked = { ...defaults, ...(Object.fromEntries(given) as Partial<Checked>) }
  if (!['recent', 'tokens', 'summary'].includes(checked.strategy)) {
    refuse(`unknown strategy ${JSON.stringify(checked.strategy)}; known: recent, tokens, summary`)
  }
  for (const name of Object.keys(least) as (keyof typeof least)[]) {
    const value = checked[name]
    if (!Number.isInteger(value) || value < least[name])
      refuse(
        `${name} must be a whole number of at least ${least[name]}, not ${JSON.stringify(value)}`,
      )
  }
  return checked
}

const refuse = (message: string): never => {
  throw configError(`compaction: ${message}`)
}

/**
 * The older blocks become one system message; newer blocks and the newest request stay as they are.
 */
async function summarizeHistory(
  history: ConversationHistory,
  request: Checked,
  tools: CompactionTools,
): Promise<CompactionResult> {
  const before = history.toList()
  const { leading, turns } = toBlocks(before)
  const first = firstOfNewest(turns, request.preserveRecent)
  const place = newestRequest(turns)
  const prompts = leading.filter((message) => !isSummary(message))
  const kept = turns.filter((_, at) => at >= first || at === place).flat()
  const old = turns.filter((_, at) => at < first && at !== place).flat()
  const options = { ...request, estimate: tools.estimate }
  if (!old.length || !tools.summarize) return commit(history, before, before, false, options)
  const { signal } = tools
  signal?.throwIfAborted()
  const messages = [...leading.filter(isSummary), ...old]
  const text = parseSummary(
    await tools.summarize({
      messages,
      maxTokens: request.summaryMaxTokens,
      ...(signal && { signal }),
    }),
  )
  signal?.throwIfAborted()
  if (!text)
    throw new LlmError('protocol', 'compaction: the summary is empty; nothing was compacted')
  const summary: ChatMessage = { role: 'system', content: summaryMark + text }
  const now = history.toList()
  if (before.some((message, at) => message !== now[at])) {
    throw new LlmError(
      'invalid-request',
      'compaction: the history was changed while its summary was made; nothing was compacted',
    )
  }
  return commit(
    history,
    now,
    [...prompts, summary, ...kept, ...now.slice(before.length)],
    true,
    options,
  )
}

function commit(
  history: ConversationHistory,
  before: readonly ChatMessage[],
  kept: readonly ChatMessage[],
  summaryCreated: boolean,
  {
    strategy,
    estimate,
  }: { readonly strategy: Checked['strategy']; readonly estimate: (text: string) => number },
): CompactionResult {
  const [first, ...rest] = kept
  const lost = sourcesOf(before).filter((name) => !sourcesOf(kept).includes(name))
  // What the model read from them may be in the replies that stay.
  const after = first && lost.length ? [withSources(first, lost), ...rest] : kept
  const removedMessages = before.length - after.length + (summaryCreated ? 1 : 0)
  const changed = removedMessages > 0 || summaryCreated
  const result = {
    strategy,
    beforeMessages: before.length,
    afterMessages: after.length,
    removedMessages,
    beforeTokens: messagesTokens(before, estimate),
    afterTokens: messagesTokens(after, estimate),
    summaryCreated,
    changed,
  }
  if (changed) history.replace(after)
  return result
}
