import { effect, type Signal, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { RunRecord, SourceToolInfo, StartRun } from '../../protocol/protocol.js'
import { post } from '../link/api.js'
import { kept } from '../link/kept.js'
import { info, ownModel, selectedModel } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { Problem } from '../parts/problem.js'
import { visible } from '../parts/visible.js'
import { ModelSelect } from './model-select.js'
import { optionFields, readOptions, writeOptions } from './run-options.js'
import type { FormDraft } from './schema-fields.js'
import { SchemaForm } from './schema-form.js'

/** What a person can set for a run, next to its model. */
interface Settings {
  readonly asksFirst: boolean
  /** Names of tools and servers that the model may not call. */
  readonly without: readonly string[]
  readonly offTheRecord: boolean
  readonly system: string
  /** What is filled in for each option that was added. */
  readonly options: FormDraft
}

const noSettings: Settings = {
  asksFirst: true,
  without: [],
  offTheRecord: false,
  system: '',
  options: {},
}

/** The system prompt of the conversation that was not begun yet. */
const unsentSystem = kept('system')

/** The settings of the conversation that the page shows. */
export const settings: { readonly [Name in keyof Settings]: Signal<Settings[Name]> } = {
  asksFirst: signal(noSettings.asksFirst),
  without: signal(noSettings.without),
  offTheRecord: signal(noSettings.offTheRecord),
  system: signal(unsentSystem.peek()),
  options: signal(noSettings.options),
}

/** The run whose settings these are; empty for the conversation that was not begun yet. */
let settingsOf = ''

/** The settings of the conversation that was not begun yet, while the page shows another one. */
let unsent = noSettings

effect(() => {
  const system = settings.system.value
  if (settingsOf === '') unsentSystem.value = system
})

const readSettings = (): Settings => ({
  asksFirst: settings.asksFirst.peek(),
  without: settings.without.peek(),
  offTheRecord: settings.offTheRecord.peek(),
  system: settings.system.peek(),
  options: settings.options.peek(),
})

function showSettings(of: string, { asksFirst, without, offTheRecord, system, options }: Settings) {
  if (settingsOf === '') unsent = readSettings()
  settingsOf = of
  settings.asksFirst.value = asksFirst
  settings.without.value = without
  settings.offTheRecord.value = offTheRecord
  settings.system.value = system
  settings.options.value = options
}

/** Notes that the run was started with the current settings: they are its own from here on. */
export function keepSettings(runId: string): void {
  settingsOf = runId
  unsent = noSettings
  unsentSystem.value = ''
}

/** Shows the settings of the conversation that was not begun yet: never those of a run. */
export function newSettings(): void {
  if (settingsOf !== '') showSettings('', unsent)
}

/**
 * Takes the model and the settings of a run, so that its conversation continues as it began; a run
 * without settings has none. Once for each run: what a person changes afterwards stays. Tools ask
 * again, whatever was chosen when the run started.
 */
export function takeSettings(run: RunRecord): void {
  const { id, settings: stored } = run
  if (id === settingsOf) return
  selectedModel.value = ownModel(run) ?? selectedModel.value
  if (!stored) {
    showSettings(id, noSettings)
    return
  }
  const { tools, without = [], offTheRecord = false } = stored
  showSettings(id, {
    asksFirst: true,
    without: tools?.length === 0 ? toolNames() : without,
    offTheRecord,
    system: stored.options?.system ?? '',
    options: writeOptions(stored),
  })
}

/** The part of a request that the settings decide. @throws {Error} An option cannot be read. */
export function fromSettings(): Omit<StartRun, 'model' | 'messages' | 'from' | 'tools'> {
  const { options, ...read } = readOptions(settings.options.value)
  const system = settings.system.value
  return {
    approvals: settings.asksFirst.value ? 'ask' : 'allow',
    offTheRecord: settings.offTheRecord.value,
    without: settings.without.value,
    ...read,
    options: { ...(system && { system }), ...options },
  }
}

/** Names of the tools and servers that the selected model may call. */
function toolNames(): readonly string[] {
  const { models = [], tools = [], sources = [] } = info.value ?? {}
  const own = models.find(({ id }) => id === selectedModel.value)?.tools ?? []
  return [...new Set([...own, ...tools, ...sources].map(({ name }) => name))]
}

/** The model, and how it may use tools. */
export function RunSettings(): VNode {
  const { models = [], sources = [] } = info.value ?? {}
  const model = models.find(({ id }) => id === selectedModel.value)
  const names = toolNames()
  const changes = Object.keys(settings.options.value).length + settings.without.value.length
  return (
    <div class="settings">
      <ModelSelect />
      <p class="muted contacts">
        {model && model.hosts.length > 0
          ? `Contacts ${model.hosts.join(', ')}`
          : 'Contacts no host'}
        {model?.note ? `. ${model.note}` : ''}
      </p>
      <details>
        <summary>
          Options{summaryOf(changes)}
          <span class="set-options">{textOfSettings()}</span>
        </summary>
        <Options />
        {names.length > 0 && (
          <fieldset class="option">
            <legend>Tools</legend>
            {names.map((name) => (
              <ToolToggle key={name} name={name} />
            ))}
            {sources.map(({ name }) => (
              <SourceTools key={name} source={name} />
            ))}
          </fieldset>
        )}
        {names.length > 0 && (
          <SettingToggle setting={settings.asksFirst} label="Ask me before each tool call" />
        )}
        <SettingToggle
          setting={settings.offTheRecord}
          label="Off the record: keep the run in memory only"
        />
      </details>
    </div>
  )
}

/** Characters of the value of an option that are shown while the options are closed. */
const longestValue = 24

/** What will be sent and is not the default, for whoever has the options closed. */
function textOfSettings(): string {
  const { options, without, asksFirst, offTheRecord } = settings
  const set = Object.entries(options.value).map(([name, value]) => {
    const text = value.replace(/\s+/g, ' ')
    return `${name} ${text.length > longestValue ? `${text.slice(0, longestValue)}…` : text}`
  })
  return [
    ...set,
    ...without.value.map((name) => `without ${visible(name)}`),
    ...(asksFirst.value ? [] : ['tools run without asking']),
    ...(offTheRecord.value ? ['off the record'] : []),
  ].join(', ')
}

/** Says next to the closed options that some are set. */
const summaryOf = (changes: number): string => (changes > 0 ? ` (${changes} set)` : '')

const SettingToggle = ({
  setting,
  label,
}: {
  readonly setting: Signal<boolean>
  readonly label: string
}): VNode => (
  <Toggle value={setting.value} onChange={(value) => (setting.value = value)} label={label} />
)

function ToolToggle({ name }: { readonly name: string }): VNode {
  const without = settings.without.value
  const set = (isOn: boolean): void => {
    settings.without.value = isOn ? without.filter((one) => one !== name) : [...without, name]
  }
  return <Toggle value={!without.includes(name)} onChange={set} label={visible(name)} />
}

/** The tools of a server, which is asked for them when a person opens the list. */
function SourceTools({ source }: { readonly source: string }): VNode {
  const [isOpen, setOpen] = useState(false)
  const { value: tools, problem } = useLoaded(`${source} ${isOpen}`, () =>
    isOpen ? post<SourceToolInfo[]>('/api/sources/tools', { source }) : Promise.resolve([]),
  )
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary class="small">Tools of {visible(source)}</summary>
      {tools?.map(({ name }) => (
        <ToolToggle key={name} name={name} />
      ))}
      {!tools && !problem && <p class="muted working">Asking the server for its tools…</p>}
      <Problem>{problem}</Problem>
    </details>
  )
}

const noProblems = {}

/** The options that are set, and a list to add others from. */
function Options(): VNode {
  const draft = settings.options.value
  const set = (name: string, text: string): void =>
    void (settings.options.value = { ...draft, [name]: text })
  const remove = (name: string): void => {
    settings.options.value = Object.fromEntries(
      Object.entries(draft).filter(([one]) => one !== name),
    )
  }
  return (
    <>
      <SchemaForm
        fields={optionFields.filter(({ name }) => name in draft)}
        draft={draft}
        problems={noProblems}
        empty="Every option has its default."
        onInput={set}
        onRemove={remove}
      />
      <p>
        <select
          aria-label="Add an option"
          value=""
          onChange={({ currentTarget }) => {
            set(currentTarget.value, '')
            currentTarget.value = ''
          }}
        >
          <option value="">Add an option…</option>
          {optionFields
            .filter(({ name }) => !(name in draft))
            .map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
        </select>
      </p>
    </>
  )
}

/** A setting that is on or off. */
export function Toggle(props: {
  readonly value: boolean
  readonly onChange: (value: boolean) => void
  readonly label: string
}): VNode {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.value}
        onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
      />
      {props.label}
    </label>
  )
}
