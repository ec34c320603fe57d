import type { ChatMessage } from '@modelport/core'
import { Fragment, type VNode } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { RunRecord } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import type { Segment } from '../link/run-parts.js'
import { continueRun, info, type WatchedRun } from '../link/state.js'
import { useVersion } from '../link/use-run.js'
import { Announcer } from '../parts/announcer.js'
import { costOf, formatCost, formatCount, formatMs } from '../parts/format.js'
import { Markdown } from '../parts/markdown.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { MessageCard } from './message.js'
import { TokenHeat } from './token-heat.js'
import { ToolCallCard } from './tool-call.js'

/** Parts of a reply that are drawn at first, the newest ones, and that each click adds. */
const shownParts = 80
/** Messages that are drawn at first, the newest ones; each click shows twice as many. */
const shownMessages = 100

/** Runs again with the messages before `index` and another text. */
type Fork = (index: number, text: string) => Promise<boolean>

/** A run as a conversation: the messages before it, then what the model does as it happens. */
export function Conversation({
  run,
  onFork,
}: {
  readonly run: WatchedRun
  readonly onFork?: Fork
}): VNode {
  const record = run.record.value
  const [most, setMost] = useState(shownParts)
  useVersion(run)
  const ended = isOver(record)
  const { segments } = run.view
  const hidden = Math.max(0, segments.length - most)
  const spoken = segments.flatMap((one) => (one.kind === 'text' ? [one.text] : [])).join('\n')
  return (
    <div
      class="conversation"
      role="log"
      aria-label="Conversation"
      aria-live="off"
      aria-busy={!ended}
    >
      <Messages messages={record.messages} onFork={onFork} />
      <article class="message assistant" aria-label="assistant">
        <header>
          <h2 class="speaker">{record.model}</h2>
        </header>
        {hidden > 0 && (
          <button type="button" class="quiet" onClick={() => setMost(most + shownParts)}>
            Show {Math.min(hidden, shownParts)} of {hidden} earlier parts
          </button>
        )}
        {segments.slice(hidden).map((segment, index) => (
          <Fragment key={segment.id}>
            <StepLink run={run} place={hidden + index} />
            <SegmentView segment={segment} record={record} />
          </Fragment>
        ))}
        {!ended && segments.length === 0 && (
          <p class="muted working">{waitingText(record.model)}</p>
        )}
        {record.logprobs && <TokenHeat tokens={record.logprobs} />}
        {record.elsewhere && (
          <p class="note">
            {record.program === undefined
              ? "Another studio that uses the same file runs this run. It is shown here as it is written; stop it and decide on that studio's page."
              : 'This happens in the program. It is shown here as it happens; only the program can stop it.'}
          </p>
        )}
        {record.error && (
          <p class="problem" role="alert">
            <strong>{record.error.code}</strong> {record.error.message}
          </p>
        )}
        {record.status === 'failed' && !record.task && (
          <p class="muted">
            <a href="#/doctor">Doctor</a> tests the connection to this model
            {record.program === undefined && (
              <>
                ; <a href={`#/raw/${record.id}`}>Raw</a> has the requests that were sent
              </>
            )}
            .
          </p>
        )}
        {record.notKept !== undefined && (
          <p class="problem" role="alert">
            This run could not be saved, and is gone when the studio ends: {record.notKept}
          </p>
        )}
        {record.status === 'cancelled' && !record.error && (
          <p class="muted">Stopped. What had arrived is kept.</p>
        )}
        {record.canContinue && <ContinueRun run={run} />}
      </article>
      <Announcer text={spoken} done={ended} />
      {ended && <RunFigures run={run} />}
    </div>
  )
}

/** Leads from the first part of a model call to what the model was sent for it. */
function StepLink({
  run: { record, view },
  place,
}: {
  readonly run: WatchedRun
  readonly place: number
}): VNode | null {
  const mark = view.steps.find((one) => one.place === place)
  // A chat with one call needs no sign to it.
  if (!mark || (view.steps.length < 2 && record.value.program === undefined)) return null
  const { step } = mark
  const isBroken = view.spans.some((span) => span.step === step && span.cacheBreak !== undefined)
  return (
    <p class="step-link">
      <a href={`#/timeline/${record.value.id}/${step}`} title="What was sent, and what came back">
        Step {step}
      </a>
      {isBroken && <span class="muted">The vendor's cache had less than before.</span>}
    </p>
  )
}

/** The messages before a run, the newest ones first in sight. */
function Messages({
  messages,
  onFork,
}: {
  readonly messages: readonly ChatMessage[]
  readonly onFork: Fork | undefined
}): VNode {
  const [most, setMost] = useState(shownMessages)
  const fork = useRef(onFork)
  fork.current = onFork
  const canFork = onFork !== undefined
  const from = Math.max(0, messages.length - most)
  // The same elements again: a long conversation is not drawn anew with each token of the reply.
  const cards = useMemo(
    () =>
      messages.slice(from).map((message, place) => {
        const index = from + place
        const edit = async (text: string): Promise<boolean> =>
          (await fork.current?.(index, text)) === true
        return (
          <MessageCard
            key={index}
            message={message}
            {...(canFork && message.role === 'user' && { onEdit: edit })}
          />
        )
      }),
    [messages, from, canFork],
  )
  return (
    <>
      {from > 0 && (
        <button type="button" class="quiet" onClick={() => setMost(2 * most)}>
          Show {formatCount(Math.min(from, most))} of {formatCount(from)} earlier messages
        </button>
      )}
      {cards}
    </>
  )
}

/** Resumes a run that was cut off, which never happens automatically. */
export function ContinueRun({ run }: { readonly run: WatchedRun }): VNode {
  const { isBusy, problem, act } = useAction()
  const resume = (): Promise<void> => continueRun(run.record.value.id, run)
  return (
    <>
      <p class="field">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void act(resume)}>
          Continue
        </button>
        <span class="muted">
          Tool calls that have finished are not run again. You are asked before each other one.
        </span>
      </p>
      <Problem>{problem}</Problem>
    </>
  )
}

/** A model in this process is loaded at its first message. */
const waitingText = (model: string): string => {
  const found = info.value?.models.find(({ id }) => id === model)
  return found?.hosts.length === 0 && found.provider !== 'mock'
    ? 'Waiting for the first token. A model in this process is loaded first…'
    : 'Waiting for the first token…'
}

/** One part of a reply. */
export function SegmentView({
  segment,
  record,
}: {
  readonly segment: Segment
  readonly record: RunRecord
}): VNode {
  const ended = isOver(record)
  switch (segment.kind) {
    case 'tool':
      return (
        <ToolCallCard
          runId={record.id}
          tool={segment}
          ended={ended}
          elsewhere={record.elsewhere === true}
        />
      )
    case 'note':
      return <p class="note">{segment.text}</p>
    case 'reasoning':
      return (
        <details class="reasoning">
          <summary>Reasoning</summary>
          <Markdown text={segment.text} isOver={ended} />
        </details>
      )
    case 'text':
      return <Markdown text={segment.text} isOver={ended} />
  }
}

/** The usage and cost of a run in one line. */
export function RunFigures({ run }: { readonly run: WatchedRun }): VNode {
  const record = run.record.value
  const { latencyMs, firstTokenMs, waitedMs, usage, tree } = record
  const counts = tree ?? usage
  const cachedTokens = tree?.cachedTokens ?? usage?.cacheReadTokens ?? 0
  const cached = cachedTokens > 0 ? ` (${formatCount(cachedTokens)} cached)` : ''
  return (
    <Figures
      figures={[
        ['First token', formatMs(firstTokenMs)],
        [waitedMs === undefined ? 'Total' : 'Total without waits', formatMs(latencyMs)],
        ['Waited for you', waitedMs === undefined ? undefined : formatMs(waitedMs)],
        ['Tokens in', `${formatCount(counts?.inputTokens)}${cached}`],
        ['Tokens out', formatCount(counts?.outputTokens)],
        ['Cost', costOf(record)],
        ['Budget', budgetOf(record)],
        ['Runs in it', tree && formatCount(tree.runs - 1)],
      ]}
    />
  )
}

/** What a run was allowed to spend. */
function budgetOf({ budget, currency }: RunRecord): string | undefined {
  if (!budget) return undefined
  const { maxCost, maxOutputTokens } = budget
  return [
    ...(maxCost === undefined ? [] : [formatCost(maxCost, currency)]),
    ...(maxOutputTokens === undefined ? [] : [`${formatCount(maxOutputTokens)} tokens out`]),
  ].join(', ')
}

/** Numbers with their names in one line; those that are undefined are left out. */
export const Figures = (props: {
  readonly figures: readonly (readonly [term: string, figure: string | undefined])[]
}): VNode => (
  <dl class="figures">
    {props.figures.map(([term, figure]) =>
      figure === undefined ? null : (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{figure}</dd>
        </div>
      ),
    )}
  </dl>
)
