import type { VNode } from 'preact'
import type { RunRecord } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import { messagesBefore, type Span } from '../link/run-parts.js'
import { go, startRun, type WatchedRun } from '../link/state.js'
import { formatCost, formatCount, formatMs } from '../parts/format.js'
import { JsonView } from '../parts/json-view.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { fromSettings, takeSettings } from '../setup/run-settings.js'
import { tokenCount } from './call-table.js'
import { Figures } from './conversation.js'

/** What is left of a budget after a call. */
function left({ spent, currency }: Span, { budget }: RunRecord): string | undefined {
  if (!spent || !budget) return undefined
  const { maxCost, maxOutputTokens } = budget
  const tokens =
    maxOutputTokens === undefined
      ? []
      : `${formatCount(maxOutputTokens - spent.outputTokens)} tokens`
  return [tokens, maxCost === undefined ? [] : formatCost(maxCost - spent.cost, currency)]
    .flat()
    .join(', ')
}

/**
 * One call of a run: its numbers, what went in and came out, and the way to its request, or to
 * another try.
 */
export function CallDetails({
  span,
  run,
}: {
  readonly span: Span
  readonly run: WatchedRun
}): VNode {
  const { problem, act } = useAction()
  const record = run.record.value
  const { spans, segments } = run.view
  const tool = segments.find((one) => one.kind === 'tool' && one.id === span.callId)
  const isModel = span.kind === 'model' && !record.task
  /** Each attempt of a model call is a request. */
  const request = spans
    .slice(0, spans.indexOf(span) + 1)
    .filter(({ kind }) => kind === 'model' || kind === 'retry').length
  const rerun = (): Promise<boolean> =>
    act(async () => {
      takeSettings(record)
      const messages = messagesBefore(record, run.view, span.step)
      const from = { runId: record.id, messages: messages.length }
      const started = await startRun({ ...fromSettings(), model: record.model, messages, from })
      go('chat', started.id)
    })
  return (
    <section class="call-details" aria-label={`Details of ${span.name}`}>
      <h2>
        {span.name} <span class="badge">{span.state}</span>
      </h2>
      <Figures
        figures={[
          ['Start', formatMs(span.from)],
          ['Took', formatMs(span.to === undefined ? undefined : span.to - span.from)],
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
      {tool?.kind === 'tool' && (
        <>
          <h2>Arguments</h2>
          <JsonView text={tool.args} label="the arguments" />
          {tool.result !== undefined && (
            <>
              <h2>Result</h2>
              <JsonView text={tool.result} label="the result" />
            </>
          )}
        </>
      )}
      {isModel && (
        <p class="field">
          <a
            href={`#/${record.program === undefined ? `raw/${record.id}/${request}` : `context/${record.id}`}`}
          >
            {record.program === undefined ? 'Raw request' : 'Context'}
          </a>
          {isOver(record) && (
            <button type="button" onClick={() => void rerun()}>
              Run again from here
            </button>
          )}
          <span class="muted">
            The steps before keep their recorded results; you are asked before each tool call.
          </span>
        </p>
      )}
      <Problem>{problem}</Problem>
    </section>
  )
}
