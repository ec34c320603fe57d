import { type CostBound, textOf } from '@modelport/core'
import type { VNode } from 'preact'
import type { RunRecord, StudioEvent } from '../../protocol/protocol.js'
import { get, stream } from '../link/api.js'
import { NoRun } from '../link/no-run.js'
import { useLoaded } from '../link/use-loaded.js'
import { formatCost, formatCount, formatMs, stateOf } from '../parts/format.js'
import { MarkedText } from '../parts/marked-text.js'
import { visible } from '../parts/visible.js'
import { type RunStep, toSteps } from './run-steps.js'

/** A run with its steps. */
interface SteppedRun {
  readonly run: RunRecord
  readonly steps: readonly RunStep[]
}

async function load(id: string): Promise<SteppedRun> {
  const events: StudioEvent[] = []
  for await (const some of stream<StudioEvent>(`/api/runs/${encodeURIComponent(id)}/events`))
    events.push(...some)
  return {
    run: await get<RunRecord>(`/api/runs/${encodeURIComponent(id)}`),
    steps: toSteps(events),
  }
}

const promptOf = ({ messages, settings }: RunRecord): string =>
  [
    settings?.options?.system ?? '',
    ...messages.map(({ role, content }) => `${role}: ${textOf(content)}`),
  ]
    .filter(Boolean)
    .join('\n')

/** Two runs step by step. What differs is marked, and of two numbers the better one. */
export function CompareRuns({
  one,
  other,
}: {
  readonly one: string
  readonly other: string
}): VNode {
  const { value, problem } = useLoaded(`${one} ${other}`, () =>
    Promise.all([load(one), load(other)]),
  )
  if (problem) return <NoRun problem={problem} />
  if (!value) return <p class="muted working">Reading the two runs…</p>
  const [a, b] = value
  // What failed early is not the better one for its numbers.
  const isSound = value.map(
    ({ run, steps: of }) => run.status === 'final' && !of.some((step) => step.hasFailedCall),
  )
  const currency = a.run.currency === b.run.currency
  const texts = (label: string, of: (from: SteppedRun) => string | undefined): VNode | false => (
    <TextRow label={label} texts={[of(a), of(b)]} />
  )
  const numbers = (
    label: string,
    of: (from: SteppedRun) => number | undefined,
    format: (value: number | undefined, currency?: string, bound?: CostBound) => string,
    boundOf: (from: SteppedRun) => CostBound | undefined = ({ run }) => run.costBound,
  ): VNode => {
    const both = value.map(of)
    const isComparable = currency || format !== formatCost
    const isBetter = (index: number): boolean =>
      isSound[index] === true && isComparable && (both[index] ?? Infinity) < (both[1 - index] ?? 0)
    return (
      <tr>
        <th scope="row">{label}</th>
        {value.map((one, index) => (
          <td key={index}>
            {format(both[index], one.run.currency, boundOf(one))}
            {isBetter(index) && <span class="badge better">better</span>}
          </td>
        ))}
      </tr>
    )
  }
  const steps = Array.from(
    { length: Math.max(a.steps.length, b.steps.length) },
    (_, index) => index,
  )
  return (
    <div class="compare-runs">
      <h1>Two runs, step by step</h1>
      <p class="muted unmarked">Where most words differ, none is marked.</p>
      <div class="scroll" tabIndex={0} role="group" aria-label="Two runs, step by step">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="visually-hidden">What</span>
              </th>
              {value.map(({ run }, index) => (
                <th key={index} scope="col">
                  <a href={`#/chat/${run.id}`}>{visible(run.title)}</a>
                  <p class="muted">
                    {run.model}, {stateOf(run)}
                  </p>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {numbers('Took', ({ run }) => run.latencyMs, formatMs)}
            {numbers('First token', ({ run }) => run.firstTokenMs, formatMs)}
            {numbers('Tokens in', ({ run }) => run.usage?.inputTokens, formatCount)}
            {numbers('Tokens out', ({ run }) => run.usage?.outputTokens, formatCount)}
            {numbers('Cost', ({ run }) => run.cost, formatCost)}
            {texts('Prompt', ({ run }) => promptOf(run))}
            {texts('Error', ({ run }) => run.error?.message)}
          </tbody>
          {steps.map((index) => (
            <tbody key={index}>
              <tr>
                <th scope="rowgroup" colSpan={3}>
                  Step {index + 1}
                </th>
              </tr>
              {numbers('Took', ({ steps: of }) => of[index]?.ms, formatMs)}
              {numbers('Tokens in', ({ steps: of }) => of[index]?.inputTokens, formatCount)}
              {numbers('Tokens out', ({ steps: of }) => of[index]?.outputTokens, formatCount)}
              {numbers(
                'Cost',
                ({ steps: of }) => of[index]?.cost,
                formatCost,
                ({ steps: of }) => of[index]?.costBound,
              )}
              {texts('Reply', ({ steps: of }) => of[index]?.text)}
              {Array.from(
                { length: Math.max(...value.map(({ steps: of }) => of[index]?.calls.length ?? 0)) },
                (_, at) => [
                  texts(`Call ${at + 1}`, ({ steps: of }) => of[index]?.calls[at]?.args),
                  texts(`Result ${at + 1}`, ({ steps: of }) => of[index]?.calls[at]?.result),
                ],
              )}
            </tbody>
          ))}
        </table>
      </div>
    </div>
  )
}

/** The same text of two runs; nothing if neither has it. */
function TextRow({
  label,
  texts,
}: {
  readonly label: string
  readonly texts: readonly (string | undefined)[]
}): VNode | null {
  const [left = '', right = ''] = texts
  if (!left && !right) return null
  const same = left === right
  return (
    <tr class={same ? '' : 'differs'}>
      <th scope="row">
        {label} {same ? <span class="muted">same</span> : <span class="badge">differs</span>}
      </th>
      {[left, right].map((text, index) => (
        <td key={index}>
          <MarkedText text={visible(text)} other={visible(index === 0 ? right : left)} />
        </td>
      ))}
    </tr>
  )
}
