import { type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'
import type { StartRun } from '../protocol/protocol.js'
import { info, selectedModel } from './state.js'

/** What every new run of this page is started with. */
export const settings: {
  readonly approvals: Signal<'ask' | 'allow'>
  readonly withTools: Signal<boolean>
  readonly offTheRecord: Signal<boolean>
  readonly system: Signal<string>
  readonly maxTokens: Signal<string>
} = {
  approvals: signal('ask'),
  withTools: signal(true),
  offTheRecord: signal(false),
  system: signal(''),
  maxTokens: signal(''),
}

/** The part of a request that the settings decide. */
export function fromSettings(): Pick<StartRun, 'tools' | 'approvals' | 'offTheRecord' | 'options'> {
  const maxTokens = Number(settings.maxTokens.value)
  return {
    approvals: settings.approvals.value,
    offTheRecord: settings.offTheRecord.value,
    ...(!settings.withTools.value && { tools: [] }),
    options: {
      ...(settings.system.value && { system: settings.system.value }),
      ...(maxTokens > 0 && { maxTokens }),
    },
  }
}

/** The model, and how it may use tools. */
export function RunSettings(): VNode {
  const { models = [], tools = [], sources = [] } = info.value ?? {}
  const offered = [...tools, ...sources].map(({ name }) => name)
  const model = models.find(({ id }) => id === selectedModel.value)
  return (
    <div class="settings">
      <label>
        Model
        <select
          value={selectedModel.value}
          onChange={({ currentTarget }) => {
            selectedModel.value = currentTarget.value
          }}
        >
          {models.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <p class="muted contacts">
        {model && model.hosts.length > 0 ? `Contacts ${model.hosts.join(', ')}` : 'Contacts no host'}
        {model?.note ? `. ${model.note}` : ''}
      </p>
      <details>
        <summary>Options</summary>
        <label>
          System prompt
          <textarea
            rows={3}
            value={settings.system.value}
            onInput={({ currentTarget }) => {
              settings.system.value = currentTarget.value
            }}
          />
        </label>
        <label>
          Most tokens of a reply
          <input
            type="number"
            min="1"
            value={settings.maxTokens.value}
            onInput={({ currentTarget }) => {
              settings.maxTokens.value = currentTarget.value
            }}
          />
        </label>
        {offered.length > 0 && <Toggle signal={settings.withTools} label={`Tools: ${offered.join(', ')}`} />}
        {offered.length > 0 && (
          <label class="check">
            <input
              type="checkbox"
              checked={settings.approvals.value === 'ask'}
              onChange={({ currentTarget }) => {
                settings.approvals.value = currentTarget.checked ? 'ask' : 'allow'
              }}
            />
            Ask me before each tool call
          </label>
        )}
        <Toggle signal={settings.offTheRecord} label="Off the record: keep the run in memory only" />
      </details>
    </div>
  )
}

function Toggle({ signal: value, label }: { readonly signal: Signal<boolean>; readonly label: string }): VNode {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value.value}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.checked
        }}
      />
      {label}
    </label>
  )
}
