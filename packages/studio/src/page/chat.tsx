import type { ChatMessage } from '@modelport/core'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { RunOrigin } from '../protocol/protocol.js'
import { post } from './api.js'
import { Composer, type Draft, focusMessage } from './composer.js'
import { Conversation } from './conversation.js'
import { fromSettings, RunSettings } from './run-settings.js'
import { RunTabs } from './run-tabs.js'
import { go, selectedModel, startRun } from './state.js'
import { useRun } from './use-run.js'

/** Chat with a model: a conversation is a chain of runs, and an edited message forks it. */
export function Chat({ id }: { readonly id: string | undefined }): VNode {
  const { run, problem } = useRun(id)
  const [refused, setRefused] = useState('')
  const record = run?.record.value
  const busy = record?.status === 'running' || record?.status === 'waiting'
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
    const past = record?.transcript ?? []
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
        {problem && <p class="problem">{problem}</p>}
        {run ? <Conversation run={run} onFork={fork} /> : !problem && id === undefined && <Welcome />}
        {record && !busy && (
          <p class="after-run">
            <button type="button" class="quiet" onClick={retry}>
              Run again with {selectedModel.value}
            </button>
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

function Welcome(): VNode {
  return (
    <div class="empty">
      <h2>Talk to a model</h2>
      <p>
        Choose a model on the right and write below. Every run is kept: look at its timeline, its raw requests and its
        context.
      </p>
      <p class="muted">
        The demo model needs no key and contacts no host. It shows reasoning, a tool call and an approval.
      </p>
    </div>
  )
}
