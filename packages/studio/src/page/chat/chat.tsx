import type { ChatMessage } from '@modelport/core'
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useCallback, useEffect } from 'preact/hooks'
import type { RunOrigin, RunRecord, RunSummary } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import { post } from '../link/api.js'
import { kept } from '../link/kept.js'
import {
  go,
  info,
  lastChat,
  ownModel,
  selectedModel,
  startRun,
  type WatchedRun,
} from '../link/state.js'
import { useRun, useVersion } from '../link/use-run.js'
import { isWrapper, useRunsAround } from '../link/use-runs-around.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { useFollowEnd } from '../parts/use-follow-end.js'
import { Conversation } from '../run/conversation.js'
import { SystemPrompt } from '../run/message.js'
import { RunHead } from '../run/run-head.js'
import { WaitingCalls } from '../run/tool-call.js'
import {
  fromSettings,
  keepSettings,
  newSettings,
  RunSettings,
  takeSettings,
} from '../setup/run-settings.js'
import { Composer, type Draft, type DraftSignals, focusMessage } from './composer.js'

const draft: DraftSignals = { text: kept('draft'), images: signal([]) }

/** Names of the calls that a person must decide on here. */
const waitingCalls = (run: WatchedRun | undefined): readonly string[] =>
  run === undefined || isOver(run.record.value) || run.record.value.elsewhere ? [] : run.view.asking

/** True for an agent, which has a system prompt of its own. */
const isAgent = (model: string): boolean =>
  info.value?.models.some(({ id, provider }) => id === model && provider === 'agent') === true

/** Why nothing can be sent now. */
function busyText(record: RunRecord | undefined, waiting: readonly string[]): string | undefined {
  if (!record || isOver(record)) return undefined
  if (record.elsewhere)
    return `Another ${record.program === undefined ? 'studio' : 'program'} runs this run; wait for its end.`
  return waiting.length > 0
    ? 'The model waits for your decision on a tool call; decide, or press Escape to stop the run.'
    : 'The model is still replying; wait, or press Escape to stop it.'
}

/** Chat with a model: a conversation is a chain of runs, and an edited message forks it. */
export function Chat({ id }: { readonly id: string | undefined }): VNode {
  const { run, problem } = useRun(id)
  const { problem: refused, act } = useAction()
  const record = run?.record.value
  const version = useVersion(run)
  const waiting = waitingCalls(run)
  const busy = busyText(record, waiting)
  useFollowEnd(version, busy !== undefined)
  useEffect(() => {
    lastChat.value = problem === undefined ? (id ?? '') : ''
    if (id === undefined) newSettings()
  }, [id, problem])
  useEffect(() => {
    if (record) takeSettings(record)
  }, [record?.id])
  const inside = useRunsAround(run && isWrapper(run.record.value) ? run : undefined)
  const wrapped = run && wrappedBy(run, inside)
  useEffect(() => {
    // The back button does not stop here.
    if (wrapped) location.replace(`#/chat/${wrapped.id}`)
  }, [wrapped?.id])
  const begin = (messages: readonly ChatMessage[], from?: RunOrigin): Promise<boolean> =>
    act(async () => {
      const started = await startRun({
        model: selectedModel.value,
        messages,
        ...(from && { from }),
        ...fromSettings(),
      })
      keepSettings(started.id)
      focusMessage.value = true
      go('chat', started.id)
    })
  const send = (content: Draft): Promise<boolean> => {
    const past = record?.transcript ?? record?.messages ?? []
    const from = record && { runId: record.id, messages: past.length }
    return begin([...past, { role: 'user', content }], from)
  }
  const fork = (index: number, content: string): Promise<boolean> => {
    if (!record) return Promise.resolve(false)
    const past = record.messages.slice(0, index)
    return begin([...past, { role: 'user', content }], { runId: record.id, messages: index })
  }
  const canStop = busy !== undefined && record?.elsewhere !== true
  const stop = useCallback(
    () => void post(`/api/runs/${id ?? ''}/stop`).catch(() => undefined),
    [id],
  )
  return (
    <div class="chat">
      {id !== undefined && <RunHead id={id} current="chat" run={run} problem={problem} />}
      <div class="chat-main">
        {id === undefined && <h1 class="visually-hidden">Chat</h1>}
        {!isAgent(selectedModel.value) && (id === undefined || record) && (
          <SystemPrompt past={record && (record.settings?.options?.system ?? '')} />
        )}
        {run ? (
          <Conversation run={run} onFork={fork} />
        ) : (
          id === undefined && <Welcome onAsk={(text) => void send(text)} />
        )}
        {record && busy === undefined && (
          <AfterRun
            record={record}
            onAgain={() =>
              void begin(record.messages, {
                runId: record.id,
                messages: record.messages.length - 1,
              })
            }
          />
        )}
        <Problem>{refused}</Problem>
        <WaitingCalls names={waiting} />
        <Composer draft={draft} busy={busy} onSend={send} onStop={canStop ? stop : undefined} />
      </div>
      <aside aria-label="Model and options">
        <RunSettings />
        {record && <OtherModel record={record} />}
        {record && (
          <button type="button" onClick={() => go('chat')}>
            New conversation
          </button>
        )}
      </aside>
    </div>
  )
}

/** The newest run in a durable run, or in a task that says nothing itself: it is what happens. */
function wrappedBy(run: WatchedRun, inside: readonly RunSummary[]): RunSummary | undefined {
  const { record, view } = run
  const isSilent = view.segments.length === 0 && (view.ended !== undefined || !isOver(record.value))
  if (!record.value.model.startsWith('durable ') && !isSilent) return undefined
  return inside.findLast(({ parent }) => parent === record.value.id)
}

function AfterRun({
  record,
  onAgain,
}: {
  readonly record: RunRecord
  readonly onAgain: () => void
}): VNode {
  return (
    <p class="after-run">
      <button type="button" class="quiet" onClick={onAgain}>
        Run again with {selectedModel.value}
      </button>{' '}
      <a class="small" href={`#/compare/${record.id}`}>
        Compare with other models
      </a>
    </p>
  )
}

/** Says that the next message goes to another model than the conversation so far. */
function OtherModel({ record }: { readonly record: RunRecord }): VNode | null {
  const { model } = record
  const own = ownModel(record)
  if (own === selectedModel.value) return null
  return (
    <p class="note" role="status">
      {own !== undefined
        ? 'The conversation so far was with'
        : 'This studio does not have the model of this conversation,'}{' '}
      {model}. The next message goes to {selectedModel.value}.
    </p>
  )
}

function Welcome({ onAsk }: { readonly onAsk: (text: string) => void }): VNode {
  const isDemo = info.value?.models.some(
    ({ id, provider }) => id === selectedModel.value && provider === 'mock',
  )
  return (
    <div class="empty">
      <h2>Talk to a model</h2>
      <p>
        Choose a model and write a message. Every run is kept, with its timeline, its raw requests
        and the context of each call.
      </p>
      {isDemo && (
        <>
          <p>
            The demo model needs no key and contacts no host. Ask it for the weather to see a tool
            call.
          </p>
          <p class="suggestions">
            {['How is the weather in Oslo?', 'What can you do?'].map((text) => (
              <button key={text} type="button" onClick={() => onAsk(text)}>
                {text}
              </button>
            ))}
          </p>
        </>
      )}
    </div>
  )
}
