import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { CalledSource, SourceInfo, SourceToolInfo } from '../protocol/protocol.js'
import { post } from './api.js'
import { formatMs, pretty } from './format.js'
import { Problem } from './problem.js'
import { exampleOf } from './schema-example.js'
import { type FormDraft, fieldsOf, firstDraft, fromDraft, toDraft } from './schema-fields.js'
import { SchemaForm } from './schema-form.js'
import { info } from './state.js'
import { useLoaded } from './use-loaded.js'
import { visible } from './visible.js'

/** The tools on this machine, and those of MCP servers, which can be called by hand. */
export function Tools(): VNode {
  const { tools = [], sources = [] } = info.value ?? {}
  return (
    <div class="tools">
      <h1>Tools</h1>
      <p class="muted">Models may call these tools in a chat. You are asked before each call, unless you allow them.</p>
      {tools.length > 0 && (
        <section class="entry" aria-label="Tools on this machine">
          <h2>On this machine</h2>
          <dl class="skills">
            {tools.map(({ name, description }) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{description}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {sources.length === 0 && (
        <p class="empty">
          No MCP server yet. Start the studio with one: <code>modelport studio --mcp http://127.0.0.1:3000/mcp</code>
        </p>
      )}
      {sources.map((source) => (
        <SourceEntry key={source.name} source={source} />
      ))}
    </div>
  )
}

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
      <p class="muted">{hosts.length > 0 ? `Contacts ${hosts.join(', ')}` : 'A process on this machine'}</p>
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
function fromJson(text: string): { readonly args: Arguments; readonly problems?: Readonly<Record<string, string>> } {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { args: value as Arguments }
  } catch {
    // Handled below, like JSON that is not an object.
  }
  return { args: {}, problems: { '': 'This must be a JSON object, such as {"city": "Oslo"}.' } }
}

function ToolEntry({ source, tool }: { readonly source: string; readonly tool: SourceToolInfo }): VNode {
  const [asked, setAsked] = useState<Arguments>()
  return (
    <details class="by-hand">
      <summary>
        <code>{visible(tool.name)}</code> {visible(tool.description)}
      </summary>
      <ToolArguments tool={tool} onReview={setAsked} />
      {asked && <CallByHand key={JSON.stringify(asked)} source={source} tool={tool.name} args={asked} />}
      <details>
        <summary>Schema</summary>
        <pre tabIndex={0}>{pretty(tool.parameters)}</pre>
      </details>
    </details>
  )
}

/** The arguments of a call, or with `asks` the answer to its question: a form made from the schema, or JSON. */
export function ToolArguments({
  tool: { name, parameters },
  asks = false,
  onReview,
}: {
  readonly tool: Pick<SourceToolInfo, 'name' | 'parameters'>
  readonly asks?: boolean
  readonly onReview: (args: Arguments) => void
}): VNode {
  const fields = useMemo(() => fieldsOf(parameters), [parameters])
  const [draft, setDraft] = useState<FormDraft>(() => firstDraft(fields ?? []))
  /** Arguments that the form has no field for. */
  const [rest, setRest] = useState<Arguments>({})
  const [text, setText] = useState<string | undefined>(() => (fields ? undefined : pretty(exampleOf(parameters))))
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const review = (): void => {
    const { args, problems: found = {} } = text === undefined ? fromDraft(fields ?? [], draft) : fromJson(text)
    setProblems(found)
    if (Object.keys(found).length === 0) onReview(text === undefined ? { ...rest, ...args } : args)
  }
  const toJson = (): void => {
    setProblems({})
    setText(pretty({ ...(exampleOf(parameters) as Arguments), ...rest, ...fromDraft(fields ?? [], draft).args }))
  }
  const toForm = (): void => {
    const { args, problems: found = {} } = fromJson(text ?? '')
    setProblems(found)
    if (!fields || Object.keys(found).length > 0) return
    setRest(Object.fromEntries(Object.entries(args).filter(([key]) => !fields.some((field) => field.name === key))))
    setDraft(toDraft(fields, args))
    setText(undefined)
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        review()
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
          {asks ? 'Answer' : `Arguments of ${visible(name)}`}, as JSON
          <textarea rows={4} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
      )}
      <Problem>{problems['']}</Problem>
      <p class="field">
        <button type="submit">{asks ? 'Answer' : 'Review the call'}</button>
        {fields && (
          <button type="button" class="quiet" onClick={text === undefined ? toJson : toForm}>
            {text === undefined ? 'Edit as JSON' : 'Edit as a form'}
          </button>
        )}
      </p>
    </form>
  )
}

/** Shows exactly what a call would do, makes it when the user says so, and shows its result. */
function CallByHand({
  source,
  tool,
  args,
}: {
  readonly source: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}): VNode {
  const [called, setCalled] = useState<CalledSource>()
  const [isRunning, setRunning] = useState(false)
  const run = useRef<HTMLButtonElement>(null)
  useEffect(() => run.current?.focus(), [])
  const call = async (): Promise<void> => {
    setRunning(true)
    try {
      setCalled(await post<CalledSource>('/api/sources/call', { source, tool, args }))
    } catch (error) {
      setCalled({ ok: false, message: (error as Error).message, latencyMs: 0 })
    }
    setRunning(false)
  }
  return (
    <div class="approval" role="group" aria-label={`Call ${tool}?`}>
      <p>
        This runs <code>{visible(tool)}</code> of <code>{source}</code> with exactly these arguments.
      </p>
      <pre tabIndex={0}>{pretty(args)}</pre>
      <button ref={run} type="button" class="primary" disabled={isRunning} onClick={() => void call()}>
        {isRunning ? 'Running…' : 'Run it'}
      </button>
      <div role="status">
        {called && (
          <>
            <p>
              <span class="badge">{called.ok ? 'done' : 'failed'}</span>{' '}
              <span class="muted">{formatMs(called.latencyMs)}</span>
            </p>
            <pre tabIndex={0}>{called.ok ? pretty(called.result) : called.message}</pre>
          </>
        )}
      </div>
    </div>
  )
}
