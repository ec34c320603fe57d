import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { post } from './api.js'
import { formatMs } from './format.js'
import { JsonView } from './json-view.js'
import { Problem } from './problem.js'
import type { ToolView } from './run-parts.js'
import { ToolArguments } from './tools.js'
import { useAction } from './use-action.js'
import { visible } from './visible.js'

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
  const text = state === 'asking' && tool.question ? 'waits for your answer' : states[state]
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
  const decide = async (approved: boolean, content?: object): Promise<void> => {
    if (!isSettled || sent) return
    const hadFocus = group.current?.contains(document.activeElement)
    await act(async () => {
      const decision = {
        callId,
        approved,
        ...(reason && { reason }),
        digest: asked?.digest,
        content,
      }
      await post(`/api/runs/${runId}/decisions`, decision)
      setDecided(true)
      if (hadFocus) document.getElementById('message')?.focus()
    })
  }
  const name = visible(tool.name)
  const { question, effect, yes, no, label } = asked
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
          onSubmit={(given) => void decide(true, given)}
        />
      ) : (
        <button
          type="button"
          class="primary"
          disabled={sent}
          aria-disabled={!isSettled}
          onClick={() => void decide(true)}
        >
          {asked?.url === undefined ? yes : 'Opened and done'}
        </button>
      )}
      <button
        type="button"
        disabled={sent}
        aria-disabled={!isSettled}
        onClick={() => void decide(false)}
      >
        {no}
      </button>
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

const approvalTexts = {
  question: 'Approve',
  effect: [
    'The model wants to run',
    'with exactly these arguments. Nothing runs before you decide.',
  ],
  yes: 'Allow',
  no: 'Deny',
  label: 'Reason for the model',
} as const

/** For a call that asks the user. */
const questionTexts = {
  question: 'Answer',
  effect: ['', 'asks you:'],
  yes: 'Yes',
  no: 'Decline',
  label: '',
} as const

/** For a call that was under way when the studio ended. */
const uncertainTexts = {
  question: 'Repeat',
  effect: [
    'The studio ended while',
    'was running with these arguments, so it may or may not have had its effect. Find out before you decide.',
  ],
  yes: 'Run it again',
  no: 'Do not run it again',
  label: 'Its result for the model, if you know it',
} as const
