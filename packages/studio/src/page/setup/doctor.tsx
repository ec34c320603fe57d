import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { DoctorStepInfo } from '../../protocol/protocol.js'
import { stream } from '../link/api.js'
import { info, selectedModel } from '../link/state.js'
import { Problem } from '../parts/problem.js'
import { ModelSelect } from './model-select.js'

const marks: Readonly<Record<DoctorStepInfo['status'], string>> = {
  ok: '✓',
  warning: '!',
  failed: '✗',
  skipped: '–',
}

/** The connection test of a model, step by step, each with what to do when it fails. */
export function Doctor(): VNode {
  const [steps, setSteps] = useState<readonly DoctorStepInfo[]>([])
  const [state, setState] = useState<'idle' | 'running' | 'done'>('idle')
  const [problem, setProblem] = useState('')
  const abort = useRef<AbortController | null>(null)
  const run = async (): Promise<void> => {
    const controller = new AbortController()
    abort.current = controller
    setSteps([])
    setProblem('')
    setState('running')
    try {
      const body = JSON.stringify({ model: selectedModel.value })
      const init = { method: 'POST', body, signal: controller.signal }
      for await (const some of stream<DoctorStepInfo>('/api/doctor', init))
        setSteps((before) => [...before, ...some])
    } catch (error) {
      if (!controller.signal.aborted) setProblem((error as Error).message)
    }
    setState('done')
  }
  return (
    <div class="doctor">
      <h1>Doctor</h1>
      <p class="muted">
        Tests the connection to one model, step by step, and says what to do about each failure. It
        sends a few short requests, which cost a few tokens.
      </p>
      {info.value?.doctor === false && (
        <p class="empty">
          This studio was started without a connection test. Use <code>modelport studio</code> or{' '}
          <code>modelport doctor</code>.
        </p>
      )}
      <p class="field">
        <ModelSelect />
        {state === 'running' ? (
          <button type="button" onClick={() => abort.current?.abort()}>
            Stop
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            disabled={info.value?.doctor === false}
            onClick={() => void run()}
          >
            Test the connection
          </button>
        )}
      </p>
      <Problem>{problem}</Problem>
      <ol class="steps" aria-live="polite">
        {steps.map(({ name, status, detail, fix }) => (
          <li key={name} class={`step ${status}`}>
            <span class="mark" aria-hidden="true">
              {marks[status]}
            </span>
            <div>
              <strong>{name}</strong> <span class="badge">{status}</span>
              <p>{detail}</p>
              {fix && <p class="note">{fix}</p>}
            </div>
          </li>
        ))}
      </ol>
      {state === 'running' && <p class="muted working">Testing…</p>}
    </div>
  )
}
