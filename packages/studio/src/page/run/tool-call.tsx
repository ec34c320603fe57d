import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DecideCall } from '../../protocol/protocol.js'
import { post } from '../link/api.js'
import type { ToolView } from '../link/run-parts.js'
import { formatMs } from '../parts/format.js'
import { JsonView } from '../parts/json-view.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { visible } from '../parts/visible.js'
import { ToolArguments } from '../setup/tools.js'

const states: Readonly<Record<ToolView['state'], string>> = {
  writing: 'writing arguments',
  asking: 'needs your approval',
  running: 'running',
  done: 'done',
  failed: 'failed',
  denied: 'denied',
  repeated: 'not run again',
  unfinished: 'not finished',
}

/** What a call waits for. */
const askingText = ({ question, isUncertain }: ToolView): string => {
  if (question) return 'waits for your answer'
  return isUncertain ? 'outcome unknown: say what became of it' : states.asking
}

/** One tool call: its arguments, the approval if one is asked for, its result. */
export function ToolCallCard({
  runId,
  tool,
  ended,
  elsewhere = false,
}: {
  readonly runId: string
  readonly tool: ToolView
  /** True when nobody can decide on the call any more. */
  readonly ended: boolean
  /** True when the call is decided on the page of another studio. */
  readonly elsewhere?: boolean
}): VNode {
  const { args, result, latencyMs } = tool
  const isOpen = tool.state === 'writing' || tool.state === 'asking' || tool.state === 'running'
  // The end of a run is not among its events if the studio was killed.
  const state = ended && isOpen ? 'unfinished' : tool.state
  const name = visible(tool.name)
  const text = state === 'asking' ? askingText(tool) : states[state]
  return (
    <section class={`tool tool-${state}`} aria-label={`Tool ${name}: ${text}`}>
      <header>
        <code>{name}</code>
        <span class="badge">{text}</span>
        {latencyMs !== undefined && <span class="muted">{formatMs(latencyMs)}</span>}
      </header>
      {args && <JsonView text={args} label={`the arguments of ${name}`} />}
      {state === 'asking' && !elsewhere && (
        <Approval key={tool.question?.digest} runId={runId} tool={tool} />
      )}
      {result !== undefined && (
        <details open={state !== 'done'}>
          <summary>Result</summary>
          <JsonView text={result} label={`the result of ${name}`} />
        </details>
      )}
    </section>
  )
}

/**
 * Milliseconds in which an approval that has just appeared ignores keys and clicks: they were meant
 * for something else.
 */
const settleMs = 500

/**
 * The decision about a call, or the answer to its question. It never takes the focus: whoever is
 * typing would decide with the next key.
 */
function Approval({ runId, tool }: { readonly runId: string; readonly tool: ToolView }): VNode {
  const [reason, setReason] = useState('')
  const [isSettled, setSettled] = useState(false)
  const [isDecided, setDecided] = useState(false)
  const { isBusy, problem, act } = useAction()
  const sent = isBusy || isDecided
  const group = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), settleMs)
    return () => clearTimeout(timer)
  }, [])
  const { id: callId, question: asked } = tool
  const decide = async (said: Said, content?: object): Promise<void> => {
    if (!isSettled || sent) return
    const hadFocus = group.current?.contains(document.activeElement)
    await act(async () => {
      const decision = {
        callId,
        ...said,
        ...(reason && { [said.outcome === undefined ? 'reason' : 'result']: reason }),
        digest: asked?.digest,
        content,
      }
      await post(`/api/runs/${runId}/decisions`, decision)
      setDecided(true)
      if (hadFocus) document.getElementById('message')?.focus()
    })
  }
  const name = visible(tool.name)
  const { question, effect, choices, label } = asked
    ? questionTexts
    : tool.isUncertain
      ? uncertainTexts
      : approvalTexts
  return (
    <div
      class="approval"
      role="group"
      tabIndex={-1}
      ref={group}
      aria-label={`${question} ${name}?`}
    >
      <p>
        {effect[0]} <code>{asked?.from === undefined ? name : visible(asked.from)}</code>{' '}
        {effect[1]}
      </p>
      {asked && <p class="plain">{visible(asked.message)}</p>}
      {!asked && tool.reason !== undefined && <p class="plain">{visible(tool.reason)}</p>}
      {/* The address of an agent was checked by nobody. */}
      {asked?.url !== undefined && (
        <a
          {...(/^https?:/i.test(asked.url) && { href: asked.url })}
          target="_blank"
          rel="noreferrer noopener"
        >
          {visible(asked.url)}
        </a>
      )}
      {asked?.schema ? (
        <ToolArguments
          tool={{ name, parameters: asked.schema }}
          onSubmit={(given) => void decide({ approved: true }, given)}
        />
      ) : null}
      {choices
        .filter(({ said }) => !asked?.schema || said.approved !== true)
        .map(({ text, said }) => (
          <button
            key={text}
            type="button"
            class={said.approved === true ? 'primary' : undefined}
            disabled={sent}
            aria-disabled={!isSettled}
            onClick={() => void decide(said)}
          >
            {asked?.url !== undefined && said.approved ? 'Opened and done' : text}
          </button>
        ))}
      {label && (
        <label>
          {label}
          <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </label>
      )}
      <Problem>{problem}</Problem>
    </div>
  )
}

/**
 * Says next to the message box, and to screen readers, that calls wait for a decision, and leads to
 * the first one.
 */
export function WaitingCalls({ names }: { readonly names: readonly string[] }): VNode {
  const go = (): void => {
    const first = document.querySelector<HTMLElement>('.approval')
    first?.scrollIntoView({ block: 'center' })
    first?.focus()
  }
  return (
    <div class="waiting" role="status" aria-live="assertive">
      {names.length > 0 && (
        <>
          <span>
            {names.length === 1 ? 'A tool call waits' : `${names.length} tool calls wait`} for your
            decision: <code>{names.map(visible).join(', ')}</code>
          </span>
          <button type="button" onClick={go}>
            Go to the decision
          </button>
        </>
      )}
    </div>
  )
}

/** What a person says about a call. */
type Said = Pick<DecideCall, 'approved' | 'outcome'>

interface ApprovalTexts {
  readonly question: string
  readonly effect: readonly [before: string, after: string]
  readonly choices: readonly { readonly text: string; readonly said: Said }[]
  /** Label of the field for more; empty: there is none. */
  readonly label: string
}

const approvalTexts: ApprovalTexts = {
  question: 'Approve',
  effect: [
    'The model wants to run',
    'with exactly these arguments. Nothing runs before you decide.',
  ],
  choices: [
    { text: 'Allow', said: { approved: true } },
    { text: 'Deny', said: { approved: false } },
  ],
  label: 'Reason for the model',
}

/** For a call that asks the user. */
const questionTexts: ApprovalTexts = {
  question: 'Answer',
  effect: ['', 'asks you:'],
  choices: [
    { text: 'Yes', said: { approved: true } },
    { text: 'Decline', said: { approved: false } },
  ],
  label: '',
}

/** For a call that was started and whose reply is lost: no choice is a plain yes or no. */
const uncertainTexts: ApprovalTexts = {
  question: 'What became of',
  effect: [
    'Nobody knows whether',
    'happened: it was started with these arguments and its reply is lost, so it may have had its effect. Ask its receiver before you say what became of it.',
  ],
  choices: [
    { text: 'It happened', said: { outcome: 'happened' } },
    { text: 'It did not happen: run it now', said: { outcome: 'did-not-happen' } },
    { text: 'Nobody will find out', said: { outcome: 'unknown' } },
  ],
  label: 'Its result for the model, if it happened',
}
