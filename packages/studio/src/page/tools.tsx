import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CalledSource, SourceInfo, SourceToolInfo } from '../protocol/protocol.js'
import { post } from './api.js'
import { formatMs, pretty } from './format.js'
import { info } from './state.js'
import { visible } from './visible.js'
import { exampleOf } from './schema-example.js'
import { useLoaded } from './use-loaded.js'

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

function ToolEntry({ source, tool }: { readonly source: string; readonly tool: SourceToolInfo }): VNode {
  const [text, setText] = useState(() => pretty(exampleOf(tool.parameters)))
  const [problem, setProblem] = useState('')
  const [asked, setAsked] = useState<Readonly<Record<string, unknown>>>()
  const review = (): void => {
    try {
      const value = JSON.parse(text) as unknown
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object')
      setProblem('')
      setAsked(value as Record<string, unknown>)
    } catch {
      setProblem('The arguments must be a JSON object, such as {"city": "Oslo"}.')
    }
  }
  return (
    <details class="by-hand">
      <summary>
        <code>{visible(tool.name)}</code> {tool.description}
      </summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          review()
        }}
      >
        <label>
          Arguments of {tool.name}, as JSON
          <textarea rows={4} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit">Review the call</button>
      </form>
      {asked && <CallByHand key={JSON.stringify(asked)} source={source} tool={tool.name} args={asked} />}
      <details>
        <summary>Schema</summary>
        <pre tabIndex={0}>{pretty(tool.parameters)}</pre>
      </details>
    </details>
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
