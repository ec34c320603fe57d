import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Exchange } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import { get } from '../link/api.js'
import { requestOf, type Span } from '../link/run-parts.js'
import type { WatchedRun } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { useRun, useVersion } from '../link/use-run.js'
import { pretty } from '../parts/format.js'
import { JsonView } from '../parts/json-view.js'
import { visible } from '../parts/visible.js'
import { ExportRun, toCurl } from './export.js'
import { RunHead } from './run-head.js'

/** The requests and responses of a run, secrets taken out, and its cassette to save. */
export function Raw({ id, request }: { readonly id: string; readonly request: number }): VNode {
  const { run } = useRun(id)
  useVersion(run)
  const ended = run !== undefined && isOver(run.record.value)
  const hasSent = run?.view.spans.some(({ sentRequest }) => sentRequest !== undefined)
  const { value: exchanges, problem } = useLoaded(`${id} ${ended}`, () =>
    get<Exchange[]>(`/api/runs/${id}/exchanges`),
  )
  return (
    <div class="raw">
      <RunHead id={id} current="raw" run={run} problem={problem} />
      {run && <SentRequests run={run} wanted={request} />}
      {exchanges?.length === 0 && !hasSent && (
        <p class="empty">
          {run?.record.value.program !== undefined
            ? 'This program sends what it does without texts, so its requests are not here. Its calls are in the timeline.'
            : !ended
              ? 'Requests appear here when the run has ended.'
              : run.record.value.error?.code === 'interrupted'
                ? 'Requests are written when a run ends, and the studio ended before that. The other views have what it did.'
                : 'This run sent no request. A model that runs in the process of the studio sends none.'}
        </p>
      )}
      {exchanges && run?.view.isContinued && (
        <p class="muted">
          These are the requests since the run was continued. Those before were lost.
        </p>
      )}
      {exchanges && exchanges.length > 0 && run?.record.value.task && (
        <p class="muted">
          These are the requests to the agent. Its own requests to models are made in its process
          and cannot be seen from here.
        </p>
      )}
      {run && ended && (
        <ExportRun
          run={run.record.value}
          hasCassette={!!exchanges?.length && !run.record.value.task}
        />
      )}
      {exchanges?.map((exchange, index) => (
        <ExchangeCard
          key={index}
          exchange={exchange}
          number={index + 1}
          isWanted={index + 1 === request}
        />
      ))}
      {run?.record.value.transcript && (
        <Block title="Transcript as stored" text={pretty(run.record.value.transcript)} />
      )}
    </div>
  )
}

/** What a program sent to models, as it made it: the provider turns it into that of its vendor. */
function SentRequests({
  run,
  wanted,
}: {
  readonly run: WatchedRun
  readonly wanted: number
}): VNode {
  const calls = run.view.spans.filter(({ kind }) => kind === 'model' || kind === 'retry')
  return (
    <>
      {calls.map(
        (span, index) =>
          span.sentRequest && (
            <Numbered key={span.id} number={index + 1} isWanted={index + 1 === wanted}>
              <h2>
                {index + 1}. {visible(span.name)}
              </h2>
              <SentBlock span={span} run={run} open={index + 1 === wanted || calls.length === 1} />
            </Numbered>
          ),
      )}
    </>
  )
}

/** One request, put together when a person opens it: each repeats the conversation so far. */
function SentBlock({
  span,
  run: { record, view },
  open,
}: {
  readonly span: Span
  readonly run: WatchedRun
  readonly open: boolean
}): VNode {
  const [isOpen, setOpen] = useState(open)
  const { request } = isOpen ? requestOf(record.value, view.spans, span) : {}
  return (
    <details open={isOpen} onToggle={({ currentTarget: { open: now } }) => setOpen(now)}>
      <summary>Request, as the program made it</summary>
      {request && (
        <JsonView
          text={pretty({ ...request.about, messages: request.messages })}
          label="the request"
        />
      )}
      {isOpen && !request && (
        <p class="muted">A part of it was lost: it came faster than it was sent.</p>
      )}
    </details>
  )
}

/** Characters up to which a body is unfolded at first; laying out a longer one takes time. */
const mostOpen = 50_000

function ExchangeCard({
  exchange,
  number,
  isWanted,
}: {
  readonly exchange: Exchange
  readonly number: number
  readonly isWanted: boolean
}): VNode {
  const {
    method,
    url,
    status,
    requestHeaders,
    requestBody,
    responseHeaders,
    responseBody,
    cut,
    error,
  } = exchange
  return (
    <Numbered number={number} isWanted={isWanted}>
      <h2>
        {number}. {method} <code>{url}</code> <span class="badge">{error ?? status}</span>
        {cut && <span class="badge">cut</span>}
      </h2>
      <Block title="As a command of curl" text={toCurl(exchange)} />
      <Block title="Request headers" text={pretty(requestHeaders)} />
      <Block title="Request body" text={requestBody} open={requestBody.length < mostOpen} />
      {responseHeaders && <Block title="Response headers" text={pretty(responseHeaders)} />}
      {responseBody !== undefined && (
        <Block title="Response body" text={responseBody} open={responseBody.length < mostOpen} />
      )}
    </Numbered>
  )
}

function Numbered({
  number,
  isWanted,
  children,
}: {
  readonly number: number
  /** True for the request that a link led to: it is scrolled to. */
  readonly isWanted: boolean
  readonly children: ComponentChildren
}): VNode {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isWanted) section.current?.scrollIntoView()
  }, [isWanted])
  return (
    <section
      ref={section}
      class={isWanted ? 'exchange selected' : 'exchange'}
      aria-label={`Request ${number}`}
    >
      {children}
    </section>
  )
}

function Block({
  title,
  text,
  open = false,
}: {
  readonly title: string
  readonly text: string
  readonly open?: boolean
}): VNode {
  return (
    <details open={open}>
      <summary>{title}</summary>
      <JsonView text={text} label={title.toLowerCase()} />
    </details>
  )
}
