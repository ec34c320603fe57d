import type { ChatMessage } from '@modelport/core'
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isOver } from '../../protocol/run-status.js'
import { post } from '../link/api.js'
import { kept } from '../link/kept.js'
import { NoRun } from '../link/no-run.js'
import { info, parameters, setParameter, startRun } from '../link/state.js'
import { useRun, useVersion } from '../link/use-run.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { useMarkedWords } from '../parts/use-marked-words.js'
import { RunFigures, SegmentView } from '../run/conversation.js'
import { MessageCard } from '../run/message.js'
import { fromSettings, newSettings, Toggle, takeSettings } from '../setup/run-settings.js'
import { Composer, type Draft, type DraftSignals } from './composer.js'

const mostModels = 4

const draft: DraftSignals = { text: kept('compare-draft'), images: signal([]) }

/**
 * The same conversation on two to four models at once; `id` is the run whose conversation they get.
 */
export function Compare({ id }: { readonly id: string | undefined }): VNode {
  const models = info.value?.models ?? []
  const { run: before, problem: missing } = useRun(id)
  const record = before?.record.value
  const [chosen, setChosen] = useState<readonly string[]>(
    models.slice(0, 2).map(({ id: model }) => model),
  )
  // In the address: the columns are there again when the page is loaded again.
  const runs = parameters.value['runs']?.split(' ') ?? []
  const { problem, act } = useAction()
  useEffect(() => {
    if (record) takeSettings(record)
    else if (id === undefined) newSettings()
  }, [record?.id, id])
  const isReady = chosen.length >= 2 && (id === undefined || record !== undefined)
  const start = (messages: readonly ChatMessage[], past: number): Promise<boolean> => {
    const from = record && { runId: record.id, messages: past }
    return act(async () => {
      const settings = { messages, ...(from && { from }), ...fromSettings() }
      const started = await Promise.all(chosen.map((model) => startRun({ model, ...settings })))
      setParameter('runs', started.map((run) => run.id).join(' '))
    })
  }
  const send = (content: Draft): Promise<boolean> => {
    const past = record?.transcript ?? record?.messages ?? []
    return start([...past, { role: 'user', content }], past.length)
  }
  const toggle = (model: string): void => {
    setChosen(
      chosen.includes(model)
        ? chosen.filter((one) => one !== model)
        : [...chosen, model].slice(-mostModels),
    )
  }
  return (
    <div class="compare">
      <h1>Side by side</h1>
      <ModelChoice chosen={chosen} onToggle={toggle} />
      {missing !== undefined && <NoRun problem={missing} />}
      {record && (
        <p class="field">
          <span>
            Every model gets the conversation “<a href={`#/chat/${record.id}`}>{record.title}</a>”.
          </span>
          <button
            type="button"
            disabled={!isReady}
            onClick={() => void start(record.messages, record.messages.length - 1)}
          >
            Run its last message on these models
          </button>
        </p>
      )}
      {runs.length === 0 && !record && models.length > 1 && (
        <p class="empty">
          Write a message: all chosen models get it at once. Words that the first reply does not
          have are marked in the others.
        </p>
      )}
      {runs[0] !== undefined && <Question id={runs[0]} />}
      <div class={`columns columns-${runs.length}`}>
        {runs.map((run, index) => (
          <Column key={run} id={run} first={index === 0 ? undefined : runs[0]} />
        ))}
      </div>
      <Problem>{problem}</Problem>
      {models.length > 1 && (
        <Composer
          draft={draft}
          busy={isReady ? undefined : 'Choose at least two models.'}
          onSend={send}
        />
      )}
    </div>
  )
}

/** What all columns reply to. */
function Question({ id }: { readonly id: string }): VNode | null {
  const { run } = useRun(id)
  const asked = run?.record.value.messages.findLast(({ role }) => role === 'user')
  return asked ? <MessageCard message={asked} /> : null
}

function ModelChoice({
  chosen,
  onToggle,
}: {
  readonly chosen: readonly string[]
  readonly onToggle: (model: string) => void
}): VNode {
  const models = info.value?.models ?? []
  if (models.length < 2)
    return (
      <p class="empty">
        There is only one model here, and a comparison needs two. Add one with{' '}
        <code>modelport init</code>, or open a cassette under <a href="#/runs">Runs</a>.
      </p>
    )
  return (
    <fieldset>
      <legend>Two to four models</legend>
      {models.map(({ id }) => (
        <Toggle key={id} value={chosen.includes(id)} onChange={() => onToggle(id)} label={id} />
      ))}
      <span class="muted" role="status">
        {chosen.length < 2 ? 'Choose at least two models.' : ''}
      </span>
    </fieldset>
  )
}

function Column({ id, first }: { readonly id: string; readonly first: string | undefined }): VNode {
  const { run, problem } = useRun(id)
  const { run: other } = useRun(first)
  const drawn = `${useVersion(run)} ${useVersion(other)}`
  const record = run?.record.value
  const ended = record !== undefined && isOver(record)
  const compared = first !== undefined && ended && other?.record.value.transcript !== undefined
  const { column, isUnlike } = useMarkedWords(compared, drawn)
  if (!run || !record) return <section class="column">{problem ?? 'Starting…'}</section>
  return (
    <section ref={column} class="column" aria-label={record.model} aria-busy={!ended}>
      <h2>
        <a href={`#/chat/${id}`}>{record.model}</a>
      </h2>
      {run.view.segments.map((segment) => (
        <SegmentView key={segment.id} segment={segment} record={record} />
      ))}
      {isUnlike && (
        <p class="muted unlike">Most words differ from those of the first, so none is marked.</p>
      )}
      {record.error && <p class="problem">{record.error.message}</p>}
      {compared && <a href={`#/compare/${first}/${id}`}>Compare with the first, step by step</a>}
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
