import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { post } from './api.js'
import { formatMs } from './format.js'
import { visible } from './visible.js'
import type { ToolView } from './run-parts.js'

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
}: {
  readonly runId: string
  readonly tool: ToolView
  /** True when nobody can decide on the call any more. */
  readonly ended: boolean
}): VNode {
  const { args, result, latencyMs } = tool
  const isOpen = tool.state === 'writing' || tool.state === 'asking' || tool.state === 'running'
  // The end of a run is not among its events if the studio was killed.
  const state = ended && isOpen ? 'unfinished' : tool.state
  const name = visible(tool.name)
  return (
    <section class={`tool tool-${state}`} aria-label={`Tool ${name}: ${states[state]}`}>
      <header>
        <code>{name}</code>
        <span class="badge">{states[state]}</span>
        {latencyMs !== undefined && <span class="muted">{formatMs(latencyMs)}</span>}
      </header>
      {args && <pre tabIndex={0}>{visible(args)}</pre>}
      {state === 'asking' && <Approval runId={runId} tool={tool} />}
      {result !== undefined && (
        <details open={state !== 'done'}>
          <summary>Result</summary>
          <pre tabIndex={0}>{result}</pre>
        </details>
      )}
    </section>
  )
}

function Approval({ runId, tool }: { readonly runId: string; readonly tool: ToolView }): VNode {
  const [reason, setReason] = useState('')
  const [sent, setSent] = useState(false)
  const allow = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const before = document.activeElement
    allow.current?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const decide = (approved: boolean): void => {
    setSent(true)
    const body = { callId: tool.id, approved, ...(reason && { reason }) }
    void post(`/api/runs/${runId}/decisions`, body).catch(() => setSent(false))
  }
  const name = visible(tool.name)
  const { question, effect, yes, no, label } = tool.isUncertain ? uncertainTexts : approvalTexts
  return (
    <div class="approval" role="group" aria-label={`${question} ${name}?`}>
      <p>
        {effect[0]} <code>{name}</code> {effect[1]}
      </p>
      <button ref={allow} type="button" class="primary" disabled={sent} onClick={() => decide(true)}>
        {yes}
      </button>
      <button type="button" disabled={sent} onClick={() => decide(false)}>
        {no}
      </button>
      <label>
        {label}
        <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
      </label>
    </div>
  )
}

const approvalTexts = {
  question: 'Approve',
  effect: ['The model wants to run', 'with exactly these arguments. Nothing runs before you decide.'],
  yes: 'Allow',
  no: 'Deny',
  label: 'Reason for the model',
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
