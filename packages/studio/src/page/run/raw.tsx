import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Exchange } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import { get } from '../link/api.js'
import { useLoaded } from '../link/use-loaded.js'
import { useRun } from '../link/use-run.js'
import { pretty } from '../parts/format.js'
import { JsonView } from '../parts/json-view.js'
import { ExportRun, toCurl } from './export.js'
import { RunHead } from './run-head.js'

/** The requests and responses of a run, secrets taken out, and its cassette to save. */
export function Raw({ id, request }: { readonly id: string; readonly request: number }): VNode {
  const { run } = useRun(id)
  const ended = run !== undefined && isOver(run.record.value)
  const { value: exchanges, problem } = useLoaded(`${id} ${ended}`, () =>
    get<Exchange[]>(`/api/runs/${id}/exchanges`),
  )
  return (
    <div class="raw">
      <RunHead id={id} current="raw" run={run} problem={problem} />
      {exchanges?.length === 0 && (
        <p class="empty">
          {run?.record.value.program !== undefined
            ? 'An attached program sends what it does, not its requests. Its prompts are in the context, its calls in the timeline.'
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

/** Characters up to which a body is unfolded at first; laying out a longer one takes time. */
const mostOpen = 50_000

function ExchangeCard({
  exchange,
  number,
  isWanted,
}: {
  readonly exchange: Exchange
  readonly number: number
  /** True for the request that a link led to: it is scrolled to. */
  readonly isWanted: boolean
}): VNode {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isWanted) section.current?.scrollIntoView()
  }, [isWanted])
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
    <section
      ref={section}
      class={isWanted ? 'exchange selected' : 'exchange'}
      aria-label={`Request ${number}`}
    >
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
