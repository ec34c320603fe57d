import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { CalledSource, SourceInfo, SourceToolInfo } from '../../protocol/protocol.js'
import { ownTools } from '../../protocol/run-status.js'
import { post } from '../link/api.js'
import { info } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { formatMs, pretty } from '../parts/format.js'
import { JsonView } from '../parts/json-view.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { visible } from '../parts/visible.js'
import { exampleOf } from './schema-example.js'
import { type FormDraft, fieldsOf, firstDraft, fromDraft, toDraft } from './schema-fields.js'
import { SchemaForm } from './schema-form.js'

/** The tools on this machine, and those of MCP servers, which can be called by hand. */
export function Tools(): VNode {
  const { tools = [], sources = [] } = info.value ?? {}
  return (
    <div class="tools">
      <h1>Tools</h1>
      <p class="muted">
        Models may call these tools in a chat. You are asked before each call, unless you allow
        them.
      </p>
      {[...(tools.length > 0 ? [{ name: ownTools, hosts: [] }] : []), ...sources].map((source) => (
        <SourceEntry key={source.name} source={source} />
      ))}
      {sources.length === 0 && (
        <p class="empty">
          No MCP server yet. Start the studio with one:{' '}
          <code>modelport studio --mcp http://127.0.0.1:3000/mcp</code>
        </p>
      )}
    </div>
  )
}

const contactsOf = (hosts: readonly string[]): string =>
  hosts.length > 0 ? `Contacts ${hosts.join(', ')}` : 'A process on this machine'

function SourceEntry({ source: { name, hosts } }: { readonly source: SourceInfo }): VNode {
  const [attempt, setAttempt] = useState(0)
  const { value: tools, problem } = useLoaded(`${name} ${attempt}`, () =>
    post<SourceToolInfo[]>('/api/sources/tools', { source: name }),
  )
  return (
    <section class="entry" aria-label={`Server ${name}`}>
      <h2>
        <code>{name}</code>
      </h2>
      <p class="muted">{name === ownTools ? 'Tools of the studio itself' : contactsOf(hosts)}</p>
      {problem && (
        <p class="problem" role="alert">
          {problem}{' '}
          <button type="button" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </button>
        </p>
      )}
      {!tools && !problem && <p class="muted working">Asking the server for its tools…</p>}
      {tools?.length === 0 && <p class="empty">This server offers no tools.</p>}
      {tools?.map((tool) => (
        <ToolEntry key={tool.name} source={name} tool={tool} />
      ))}
    </section>
  )
}

type Arguments = Readonly<Record<string, unknown>>

/** The arguments that were written as JSON. A problem has no field, so its name is empty. */
function fromJson(text: string): {
  readonly args: Arguments
  readonly problems?: Readonly<Record<string, string>>
} {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { args: value as Arguments }
  } catch {
    // Handled below, like JSON that is not an object.
  }
  return { args: {}, problems: { '': 'This must be a JSON object, such as {"city": "Oslo"}.' } }
}

/** A tool, the call that is made with what is filled in, and its result. */
function ToolEntry({
  source,
  tool,
}: {
  readonly source: string
  readonly tool: SourceToolInfo
}): VNode {
  const [called, setCalled] = useState<CalledSource>()
  const { isBusy, problem, act } = useAction()
  const call = (args: Arguments): void =>
    void act(async () =>
      setCalled(await post<CalledSource>('/api/sources/call', { source, tool: tool.name, args })),
    )
  return (
    <details class="by-hand">
      <summary>
        <code>{visible(tool.name)}</code> {visible(tool.description)}
      </summary>
      <ToolArguments tool={tool} source={source} onSubmit={call} />
      <Problem>{problem}</Problem>
      <div role="status">
        {isBusy && <p class="muted working">Running…</p>}
        {called && !isBusy && (
          <>
            <p>
              <span class="badge">{called.ok ? 'done' : 'failed'}</span>{' '}
              <span class="muted">{formatMs(called.latencyMs)}</span>
            </p>
            <JsonView
              text={called.ok ? pretty(called.result) : (called.message ?? '')}
              label="the result"
            />
          </>
        )}
      </div>
      <details>
        <summary>Schema</summary>
        <JsonView text={pretty(tool.parameters)} label="the schema" />
      </details>
    </details>
  )
}

/**
 * The arguments of a call of a `source`, with the exact call; without one the answer to a question.
 * A form made from the schema, or JSON.
 */
export function ToolArguments({
  tool: { name, parameters },
  source,
  onSubmit,
}: {
  readonly tool: Pick<SourceToolInfo, 'name' | 'parameters'>
  readonly source?: string
  readonly onSubmit: (args: Arguments) => void
}): VNode {
  const fields = useMemo(() => fieldsOf(parameters), [parameters])
  const [draft, setDraft] = useState<FormDraft>(() => firstDraft(fields ?? []))
  /** Arguments that the form has no field for. */
  const [rest, setRest] = useState<Arguments>({})
  const [text, setText] = useState<string | undefined>(() =>
    fields ? undefined : pretty(exampleOf(parameters)),
  )
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const { args, problems: found = {} } =
    text === undefined ? fromDraft(fields ?? [], draft) : fromJson(text)
  const given = text === undefined ? { ...rest, ...args } : args
  const submit = (): void => {
    setProblems(found)
    if (Object.keys(found).length === 0) onSubmit(given)
  }
  const toJson = (): void => {
    setProblems({})
    setText(
      pretty({
        ...(exampleOf(parameters) as Arguments),
        ...rest,
        ...fromDraft(fields ?? [], draft).args,
      }),
    )
  }
  const toForm = (): void => {
    const read = fromJson(text ?? '')
    setProblems(read.problems ?? {})
    if (!fields || read.problems) return
    setRest(
      Object.fromEntries(
        Object.entries(read.args).filter(([key]) => !fields.some((field) => field.name === key)),
      ),
    )
    setDraft(toDraft(fields, read.args))
    setText(undefined)
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {text === undefined ? (
        <SchemaForm
          fields={fields ?? []}
          draft={draft}
          problems={problems}
          onInput={(field, value) => setDraft((before) => ({ ...before, [field]: value }))}
        />
      ) : (
        <label>
          {source === undefined ? 'Answer' : `Arguments of ${visible(name)}`}, as JSON
          <textarea
            rows={4}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
      )}
      <Problem>{problems['']}</Problem>
      {source !== undefined && (
        <>
          <p class="muted">
            This runs <code>{visible(name)}</code> of <code>{visible(source)}</code> with exactly
            these arguments:
          </p>
          <pre tabIndex={0}>{pretty(given)}</pre>
        </>
      )}
      <p class="field">
        <button type="submit" class={source === undefined ? '' : 'primary'}>
          {source === undefined ? 'Answer' : 'Run it'}
        </button>
        {fields && (
          <button type="button" class="quiet" onClick={text === undefined ? toJson : toForm}>
            {text === undefined ? 'Edit as JSON' : 'Edit as a form'}
          </button>
        )}
      </p>
    </form>
  )
}
