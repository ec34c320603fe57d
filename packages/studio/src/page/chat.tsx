import type { ChatMessage } from '@modelport/core'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { RunOrigin } from '../protocol/protocol.js'
import { post } from './api.js'
import { Composer, type Draft, focusMessage } from './composer.js'
import { Conversation } from './conversation.js'
import { fromSettings, RunSettings } from './run-settings.js'
import { isOver } from '../protocol/run-status.js'
import { NoRun } from './no-run.js'
import { RunTabs } from './run-tabs.js'
import { go, info, selectedModel, startRun } from './state.js'
import { useFollowEnd } from './use-follow-end.js'
import { useRun, useVersion } from './use-run.js'

/** Chat with a model: a conversation is a chain of runs, and an edited message forks it. */
export function Chat({ id }: { readonly id: string | undefined }): VNode {
  const { run, problem } = useRun(id)
  const [refused, setRefused] = useState('')
  const record = run?.record.value
  const busy = record !== undefined && !isOver(record)
  useFollowEnd(useVersion(run), busy)
  const begin = async (messages: readonly ChatMessage[], from?: RunOrigin): Promise<void> => {
    setRefused('')
    try {
      const started = await startRun({ model: selectedModel.value, messages, ...(from && { from }), ...fromSettings() })
      focusMessage.value = true
      go('chat', started.id)
    } catch (error) {
      setRefused((error as Error).message)
    }
  }
  const send = (content: Draft): void => {
    const past = record?.transcript ?? record?.messages ?? []
    const from = record && { runId: record.id, messages: past.length }
    void begin([...past, { role: 'user', content }], from)
  }
  const fork = (index: number, content: string): void => {
    if (!record) return
    const past = record.messages.slice(0, index)
    void begin([...past, { role: 'user', content }], { runId: record.id, messages: index })
  }
  const retry = (): void => {
    if (record) void begin(record.messages, { runId: record.id, messages: record.messages.length - 1 })
  }
  return (
    <div class="chat">
      <div class="chat-main">
        <h1 class="visually-hidden">Chat</h1>
        {record && <RunTabs id={record.id} current="chat" />}
        {problem !== undefined && <NoRun problem={problem} />}
        {run ? (
          <Conversation run={run} onFork={fork} />
        ) : (
          !problem && (id === undefined ? <Welcome onAsk={send} /> : <p class="muted working">Reading the run…</p>)
        )}
        {record && !busy && (
          <p class="after-run">
            <button type="button" class="quiet" onClick={retry}>
              Run again with {selectedModel.value}
            </button>{' '}
            <a class="small" href={`#/compare/${record.id}`}>
              Compare with other models
            </a>
          </p>
        )}
        {refused && (
          <p class="problem" role="alert">
            {refused}
          </p>
        )}
        <Composer
          busy={busy}
          onSend={send}
          onStop={() => {
            if (record) void post(`/api/runs/${record.id}/stop`)
          }}
        />
      </div>
      <aside aria-label="Model and options">
        <RunSettings />
        {record && (
          <button type="button" onClick={() => go('chat')}>
            New conversation
          </button>
        )}
      </aside>
    </div>
  )
}

const suggestions = ['How is the weather in Oslo?', 'What can you do?']

function Welcome({ onAsk }: { readonly onAsk: (text: string) => void }): VNode {
  const isDemo = info.value?.models.some(({ id, provider }) => id === selectedModel.value && provider === 'mock')
  return (
    <div class="empty">
      <h2>Talk to a model</h2>
      <p>
        Choose a model and write a message. Every run is kept, with its timeline, its raw requests and the context of
        each call.
      </p>
      {isDemo && (
        <>
          <p>The demo model needs no key and contacts no host. Ask it for the weather to see a tool call.</p>
          <p class="suggestions">
            {suggestions.map((text) => (
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
