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
}

/** One tool call: its arguments, the approval if one is asked for, its result. */
export function ToolCallCard({ runId, tool }: { readonly runId: string; readonly tool: ToolView }): VNode {
  const { args, state, result, latencyMs } = tool
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
  return (
    <div class="approval" role="group" aria-label={`Approve ${visible(tool.name)}?`}>
      <p>
        The model wants to run <code>{visible(tool.name)}</code> with exactly these arguments. Nothing runs before you
        decide.
      </p>
      <button ref={allow} type="button" class="primary" disabled={sent} onClick={() => decide(true)}>
        Allow
      </button>
      <button type="button" disabled={sent} onClick={() => decide(false)}>
        Deny
      </button>
      <label>
        Reason for the model
        <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
      </label>
    </div>
  )
}
