import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { post } from './api.js'
import { useRun, useVersion } from './use-run.js'
import { Composer, type Draft } from './composer.js'
import { RunFigures } from './conversation.js'
import { fromSettings } from './run-settings.js'
import { info, startRun, type WatchedRun } from './state.js'
import { StreamText } from './stream-text.js'
import { diffWords } from './text-diff.js'
import { ToolCallCard } from './tool-call.js'

const mostModels = 4

const textOf = (run: WatchedRun | undefined): string =>
  run?.view.segments.flatMap((one) => (one.kind === 'text' ? [one.text] : [])).join('\n') ?? ''

/** The same question to two to four models at once. */
export function Compare(): VNode {
  const models = info.value?.models ?? []
  const [chosen, setChosen] = useState<readonly string[]>(models.slice(0, 2).map(({ id }) => id))
  const [runs, setRuns] = useState<readonly string[]>([])
  const [problem, setProblem] = useState('')
  const send = async (content: Draft): Promise<void> => {
    setProblem('')
    const messages = [{ role: 'user' as const, content }]
    try {
      const started = await Promise.all(chosen.map((model) => startRun({ model, messages, ...fromSettings() })))
      setRuns(started.map(({ id }) => id))
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const toggle = (id: string): void => {
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-mostModels))
  }
  return (
    <div class="compare">
      <h1>Side by side</h1>
      <fieldset>
        <legend>Two to four models</legend>
        {models.map(({ id }) => (
          <label key={id} class="check">
            <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
            {id}
          </label>
        ))}
      </fieldset>
      {runs.length === 0 && (
        <p class="empty">
          Choose the models, then ask. Words that the first reply does not have are marked in the others.
        </p>
      )}
      <div class={`columns columns-${runs.length}`}>
        {runs.map((id, index) => (
          <Column key={id} id={id} first={index === 0 ? undefined : runs[0]} />
        ))}
      </div>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <Composer busy={chosen.length < 2} onSend={(draft) => void send(draft)} />
    </div>
  )
}

function Column({ id, first }: { readonly id: string; readonly first: string | undefined }): VNode {
  const { run, problem } = useRun(id)
  const { run: other } = useRun(first)
  useVersion(run)
  useVersion(other)
  if (!run) return <section class="column">{problem ?? 'Starting…'}</section>
  const record = run.record.value
  const ended = record.transcript !== undefined
  const compared = first !== undefined && ended && other?.record.value.transcript !== undefined
  return (
    <section class="column" aria-label={record.model} aria-busy={!ended}>
      <h2>
        <a href={`#/chat/${id}`}>{record.model}</a>
      </h2>
      {run.view.segments.map((segment) =>
        segment.kind === 'tool' ? <ToolCallCard key={segment.id} runId={id} tool={segment} /> : null,
      )}
      {compared ? (
        <p class="plain">
          {diffWords(textOf(run), textOf(other)).map(({ text, same }, index) =>
            same ? text : <mark key={index}>{text}</mark>,
          )}
        </p>
      ) : (
        <StreamText text={textOf(run)} />
      )}
      {record.error && <p class="problem">{record.error.message}</p>}
      {ended ? (
        <RunFigures run={run} />
      ) : (
        <button type="button" onClick={() => void post(`/api/runs/${id}/stop`)}>
          Stop
        </button>
      )}
    </section>
  )
}
