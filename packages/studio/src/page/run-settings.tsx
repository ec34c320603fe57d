import { type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'
import type { RunRecord, StartRun } from '../protocol/protocol.js'
import { kept } from './kept.js'
import { ModelSelect } from './model-select.js'
import { info, selectedModel } from './state.js'

/** The settings of every new run of this page. */
export const settings: {
  readonly asksFirst: Signal<boolean>
  readonly withTools: Signal<boolean>
  readonly offTheRecord: Signal<boolean>
  readonly mode: Signal<NonNullable<StartRun['mode']>>
  readonly system: Signal<string>
  readonly maxTokens: Signal<string>
  readonly maxCost: Signal<string>
  readonly maxRunTokens: Signal<string>
} = {
  asksFirst: signal(true),
  withTools: signal(true),
  offTheRecord: signal(false),
  mode: signal('auto'),
  system: kept('system'),
  maxTokens: signal(''),
  maxCost: signal(''),
  maxRunTokens: signal(''),
}

/** The run whose settings these are. */
let settingsOf = ''

/** Notes that the run was started with the current settings. */
export function keepSettings(runId: string): void {
  settingsOf = runId
}

/**
 * Takes the model and the settings of a run, so that its conversation continues as it began. Once for each run: what a person changes
 * afterwards stays. Tools ask again, whatever was chosen when the run started.
 */
export function takeSettings({ id, model, settings: stored }: RunRecord): void {
  if (id === settingsOf) return
  settingsOf = id
  if (info.value?.models.some((one) => one.id === model)) selectedModel.value = model
  if (!stored) return
  const { options = {}, budget = {}, tools, mode = 'auto', offTheRecord = false } = stored
  const text = (value: number | null | undefined): string => (value == null ? '' : String(value))
  settings.asksFirst.value = true
  settings.withTools.value = tools?.length !== 0
  settings.offTheRecord.value = offTheRecord
  settings.mode.value = mode
  settings.system.value = options.system ?? ''
  settings.maxTokens.value = text(options.maxTokens)
  settings.maxCost.value = text(budget.maxCost)
  settings.maxRunTokens.value = text(budget.maxOutputTokens)
}

/** The part of a request that the settings decide. */
export function fromSettings(): Pick<StartRun, 'tools' | 'mode' | 'approvals' | 'offTheRecord' | 'options' | 'budget'> {
  const maxTokens = Number(settings.maxTokens.value)
  const maxCost = Number(settings.maxCost.value)
  const maxOutputTokens = Number(settings.maxRunTokens.value)
  return {
    approvals: settings.asksFirst.value ? 'ask' : 'allow',
    mode: settings.mode.value,
    offTheRecord: settings.offTheRecord.value,
    ...(!settings.withTools.value && { tools: [] }),
    options: {
      ...(settings.system.value && { system: settings.system.value }),
      ...(maxTokens > 0 && { maxTokens }),
    },
    ...((maxCost > 0 || maxOutputTokens > 0) && {
      budget: { ...(maxCost > 0 && { maxCost }), ...(maxOutputTokens > 0 && { maxOutputTokens }) },
    }),
  }
}

/** The model, and how it may use tools. */
export function RunSettings(): VNode {
  const { models = [], tools = [], sources = [] } = info.value ?? {}
  const model = models.find(({ id }) => id === selectedModel.value)
  const offered = [...tools, ...(model?.tools ?? []), ...sources].map(({ name }) => name)
  return (
    <div class="settings">
      <ModelSelect />
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
        <NumberField signal={settings.maxTokens} label="Most tokens in one reply" min="1" />
        <NumberField signal={settings.maxRunTokens} label="Budget of a run: most tokens of all its replies" min="1" />
        <NumberField
          signal={settings.maxCost}
          label="Budget of a run: highest cost (needs prices in the model's profile)"
          min="0"
        />
        {offered.length > 0 && <Toggle signal={settings.withTools} label={`Tools: ${offered.join(', ')}`} />}
        {offered.length > 0 && <Toggle signal={settings.asksFirst} label="Ask me before each tool call" />}
        {offered.length > 0 && <ModeField />}
        <Toggle signal={settings.offTheRecord} label="Off the record: keep the run in memory only" />
      </details>
    </div>
  )
}

const modes: readonly (readonly [mode: NonNullable<StartRun['mode']>, label: string])[] = [
  ['auto', 'Automatic'],
  ['native', 'Native tool calls'],
  ['json', 'JSON replies'],
  ['text', 'Blocks in the text'],
]

function ModeField(): VNode {
  return (
    <label>
      How the model calls tools
      <select
        value={settings.mode.value}
        onChange={({ currentTarget }) => {
          settings.mode.value = modes.find(([mode]) => mode === currentTarget.value)?.[0] ?? 'auto'
        }}
      >
        {modes.map(([mode, label]) => (
          <option key={mode} value={mode}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}

function NumberField({
  signal: value,
  label,
  min,
}: {
  readonly signal: Signal<string>
  readonly label: string
  readonly min: string
}): VNode {
  return (
    <label>
      {label}
      <input
        type="number"
        min={min}
        step="any"
        value={value.value}
        onInput={({ currentTarget }) => {
          value.value = currentTarget.value
        }}
      />
    </label>
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
