import type { ChatMessage } from '@modelport/core'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Exchange, RunRecord, RunSummary } from '../../protocol/protocol.js'
import { tokensOf } from '../../protocol/run-query.js'
import { isOver } from '../../protocol/run-status.js'
import { get } from '../link/api.js'
import { messagesBefore, messagesOf, requestOf, type Span } from '../link/run-parts.js'
import { go, ownModel, selectedModel, startRun, type WatchedRun } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { costOf, formatCost, formatCount, formatMs, stateOf } from '../parts/format.js'
import { JsonView } from '../parts/json-view.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { visible } from '../parts/visible.js'
import { fromSettings, takeSettings } from '../setup/run-settings.js'
import { tokenCount } from './call-table.js'
import { Figures } from './conversation.js'
import { MessageCard } from './message.js'
import { aboutChanges, type FieldChange, requestChanges } from './request-diff.js'
import type { Row } from './run-tree.js'

/** What is left of a budget after a call. */
function left({ spent, currency, costBound }: Span, { budget }: RunRecord): string | undefined {
  if (!spent || !budget) return undefined
  const { maxCost, maxOutputTokens } = budget
  const parts = [
    ...(maxOutputTokens === undefined
      ? []
      : [`${formatCount(maxOutputTokens - spent.outputTokens)} tokens`]),
    ...(maxCost === undefined ? [] : [leftOf(maxCost - spent.cost, currency, costBound)]),
  ]
  return parts.join(', ')
}

/** An upper bound on what was spent is a lower bound on what is left. */
function leftOf(cost: number, currency: string | undefined, bound: Span['costBound']): string {
  const amount = formatCost(cost, currency)
  if (bound === 'at-most') return `at least ${amount}`
  return bound ? `about ${amount}` : amount
}

/** A row of the timeline: what it is, what went in and came out, and where it leads. */
export function CallDetails({
  row,
  inside,
}: {
  readonly row: Row
  /** The runs that happened in it. */
  readonly inside: readonly RunSummary[]
}): VNode {
  return row.run ? (
    <RunDetails run={row.run} />
  ) : (
    <PartDetails span={row.part ?? row.span} run={row.of} inside={inside} />
  )
}

/** A run that happened in the run of the timeline. */
function RunDetails({ run }: { readonly run: RunSummary }): VNode {
  const title = visible(run.title)
  return (
    <section class="call-details" aria-label={`Details of ${title}`}>
      <h2>
        {title} <span class="badge">{stateOf(run)}</span>
      </h2>
      <Figures
        figures={[
          ['Model', visible(run.model)],
          ['Took', formatMs(run.latencyMs)],
          ['Tokens', formatCount(tokensOf(run))],
          ['Cost', costOf(run)],
        ]}
      />
      {run.error && <p class="problem">{run.error.message}</p>}
      <p class="field">
        <a class="button" href={`#/chat/${run.id}`}>
          Conversation
        </a>
        <a class="button" href={`#/timeline/${run.id}`}>
          Its own timeline
        </a>
      </p>
    </section>
  )
}

/** A call of a model or a tool, a wait, or a retry. */
function PartDetails({
  span,
  run,
  inside,
}: {
  readonly span: Span
  readonly run: WatchedRun
  readonly inside: readonly RunSummary[]
}): VNode {
  const record = run.record.value
  const isModel = span.kind === 'model' && !record.task
  const took = span.to === undefined ? undefined : span.to - span.from
  return (
    <section class="call-details" aria-label={`Details of ${span.name}`}>
      <h2>
        {span.name} <span class="badge">{span.state}</span>
      </h2>
      <Figures
        figures={[
          ['Start', formatMs(span.from)],
          ['Took', formatMs(took)],
          [
            'First token',
            span.firstTokenAt === undefined ? undefined : formatMs(span.firstTokenAt - span.from),
          ],
          [
            'Tokens in',
            span.inputTokens === undefined ? undefined : tokenCount(span.inputTokens, span),
          ],
          ['Cached', span.cachedTokens === undefined ? undefined : formatCount(span.cachedTokens)],
          [
            'Tokens out',
            span.outputTokens === undefined ? undefined : tokenCount(span.outputTokens, span),
          ],
          [
            'Cost',
            span.cost === undefined
              ? undefined
              : formatCost(span.cost, span.currency, span.costBound),
          ],
          ['Budget left', left(span, record)],
        ]}
      />
      {span.isEstimated && (
        <p class="muted">~ is an estimate: the vendor did not count these tokens.</p>
      )}
      {span.detail && <p class={span.state === 'failed' ? 'problem' : 'muted'}>{span.detail}</p>}
      {span.cacheBreak !== undefined && <p class="note">{span.cacheBreak}</p>}
      {isModel && <Exchanged span={span} run={run} />}
      <ToolDetails span={span} run={run} />
      {inside.length > 0 && (
        <>
          <h2>Runs in it</h2>
          <ul class="inside">
            {inside.map((one) => (
              <li key={one.id}>
                <a href={`#/chat/${one.id}`}>{visible(one.title)}</a>{' '}
                <span class={`state is-${one.status}`}>{stateOf(one)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {isModel && <CallActions span={span} run={run} />}
    </section>
  )
}

/** What the model was sent that is new, next to what came back. */
function Exchanged({ span, run }: { readonly span: Span; readonly run: WatchedRun }): VNode {
  const record = run.record.value
  const { before, sent, reply } = messagesOf(record, run.view, span)
  const requests = requestOf(record, run.view.spans, span)
  const { request } = requests
  const system = request?.about?.system ?? record.settings?.options?.system ?? ''
  const changes = span.changes ?? []
  return (
    <div class="exchanged">
      <section aria-label="Sent">
        <h2>Sent, new in this call</h2>
        {changes.length > 0 && (
          <p class="note">Against the call before: {changes.map(visible).join('; ')}.</p>
        )}
        <AboutChanges {...requests} />
        {system && (
          <details open={before.length === 0}>
            <summary>System prompt</summary>
            <p class="plain">{visible(system)}</p>
          </details>
        )}
        <Before key={span.id} messages={before} />
        {run.view.isShortened && !request && (
          <p class="muted">
            The conversation was shortened in this run: the model may have had less than this.
          </p>
        )}
        {sent.map((message, index) => (
          <MessageCard key={index} message={message} isOpen />
        ))}
        {sent.length === 0 && <p class="muted">No message that it did not have before.</p>}
      </section>
      <section aria-label="Came back">
        <h2>Came back</h2>
        {reply ? (
          <MessageCard message={reply} isOpen />
        ) : (
          <p class="muted">{span.state === 'running' ? 'Nothing yet.' : 'No reply came.'}</p>
        )}
      </section>
    </div>
  )
}

/** Messages that are drawn at once when a person asks for those before a call. */
const mostBefore = 50

/** The messages that the model had before, behind one line. */
function Before({ messages }: { readonly messages: readonly ChatMessage[] }): VNode | null {
  const [most, setMost] = useState(0)
  const hidden = Math.max(0, messages.length - most)
  if (messages.length === 0) return null
  return (
    <>
      {hidden > 0 && (
        <button type="button" class="quiet" onClick={() => setMost(most + mostBefore)}>
          + {formatCount(hidden)} {hidden === 1 ? 'message' : 'messages'} before
        </button>
      )}
      {most > 0 &&
        messages
          .slice(hidden)
          .map((message, index) => <MessageCard key={hidden + index} message={message} isOpen />)}
    </>
  )
}

/** The arguments of a tool call, the decision about it, and its result. */
function ToolDetails({
  span,
  run: { view },
}: {
  readonly span: Span
  readonly run: WatchedRun
}): VNode | null {
  const tool = view.segments.find((one) => one.kind === 'tool' && one.id === span.callId)
  if (tool?.kind !== 'tool') return null
  const wait = view.spans.find(({ kind, callId }) => kind === 'wait' && callId === tool.id)
  return (
    <>
      <h2>Arguments</h2>
      <JsonView text={tool.args} label="the arguments" />
      {wait && (
        <>
          <h2>Decision</h2>
          <p>{decisionText(wait, tool.reason)}</p>
        </>
      )}
      {tool.result !== undefined && (
        <>
          <h2>Result</h2>
          <JsonView text={tool.result} label="the result" />
        </>
      )}
    </>
  )
}

function decisionText({ state, detail, from, to }: Span, reason: string | undefined): string {
  const why = reason === undefined ? '' : ` Asked because: ${visible(reason)}`
  if (to === undefined) return `It waits for a person.${why}`
  const what = state === 'ok' ? 'allowed' : (detail ?? state)
  return `A person decided after ${formatMs(to - from)}: ${what}.${why}`
}

/** What differs in the request from the one before, read when a person asks for it. */
function RequestChanges({
  runId,
  request,
}: {
  readonly runId: string
  readonly request: number
}): VNode {
  const [isOpen, setOpen] = useState(false)
  const { value: exchanges, problem } = useLoaded(`changes ${runId} ${isOpen}`, async () =>
    isOpen ? get<Exchange[]>(`/api/runs/${runId}/exchanges`) : undefined,
  )
  const [before, now] = exchanges?.slice(request - 2, request) ?? []
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>Options and tools against the request before</summary>
      {problem && <p class="problem">{problem}</p>}
      {exchanges && <Changes changes={before && now && requestChanges(before, now)} />}
    </details>
  )
}

/** What differs in the request of a program from the one before, which it has sent too. */
function AboutChanges({ request, before }: ReturnType<typeof requestOf>): VNode | null {
  if (!request?.about || !before?.about) return null
  const changes = aboutChanges(before.about, request.about)
  return changes.length === 0 ? (
    <p class="muted">Options and tools are those of the call before.</p>
  ) : (
    <Changes changes={changes} />
  )
}

/** Fields with their values before and after. */
const Changes = ({
  changes,
}: {
  /** Undefined: the request before is not kept. */
  readonly changes: readonly FieldChange[] | undefined
}): VNode => (
  <>
    {!changes && <p class="muted">The request before is not kept.</p>}
    {changes?.length === 0 && <p class="muted">Only the messages differ.</p>}
    {changes?.map((change) => (
      <Change key={change.name} {...change} />
    ))}
  </>
)

/** Characters of the values of a field from which they are folded. */
const longestChange = 300

function Change({ name, before = 'not sent', after = 'not sent' }: FieldChange): VNode {
  const values = `${visible(before)} → ${visible(after)}`
  const field = <code>{visible(name)}</code>
  return values.length > longestChange ? (
    <details>
      <summary>{field} differs</summary>
      <p class="plain">{values}</p>
    </details>
  ) : (
    <p class="plain">
      {field}: {values}
    </p>
  )
}

/** The way from a model call to its request, and to another try. */
function CallActions({ span, run }: { readonly span: Span; readonly run: WatchedRun }): VNode {
  const { problem, act } = useAction()
  const record = run.record.value
  const { spans } = run.view
  /** Each attempt of a model call is a request. */
  const request = spans
    .slice(0, spans.indexOf(span) + 1)
    .filter(({ kind }) => kind === 'model' || kind === 'retry').length
  const model = ownModel(record) ?? selectedModel.value
  const hasRequest = record.program === undefined || span.sentRequest !== undefined
  const rerun = (): Promise<boolean> =>
    act(async () => {
      takeSettings(record)
      const messages = messagesBefore(record, run.view, span.step)
      const from = { runId: record.id, messages: messages.length }
      const started = await startRun({ ...fromSettings(), model, messages, from })
      go('chat', started.id)
    })
  return (
    <>
      {record.program === undefined && request > 1 && isOver(record) && (
        <RequestChanges runId={record.id} request={request} />
      )}
      <p class="field">
        <a href={`#/${hasRequest ? `raw/${record.id}/${request}` : `context/${record.id}`}`}>
          {hasRequest ? 'Raw request' : 'Context'}
        </a>
        {isOver(record) && (
          <button type="button" onClick={() => void rerun()}>
            Run again from here{model !== record.model && ` with ${model}`}
          </button>
        )}
        <span class="muted">
          The steps before keep their recorded results; you are asked before each tool call.
        </span>
      </p>
      <Problem>{problem}</Problem>
    </>
  )
}
