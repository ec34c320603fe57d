import { type ChatMessage, textOf } from '@modelport/core'
import type { VNode } from 'preact'
import type { Exchange, RunRecord } from '../../protocol/protocol.js'
import { get } from '../link/api.js'
import { formatCost, formatCount, formatMs, pretty, stateOf } from '../parts/format.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'

function save(name: string, type: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Saves a run as a file: all of it, for people, or to be replayed. */
export function ExportRun({
  run,
  hasCassette,
}: {
  readonly run: RunRecord
  readonly hasCassette: boolean
}): VNode {
  const { problem, act } = useAction()
  const json = (path: string, name: string) => (): void =>
    void act(async () => {
      const value = await get<unknown>(`/api/runs/${run.id}/${path}`)
      save(`${run.id}.${name}`, 'application/json', JSON.stringify(value, undefined, 2))
    })
  return (
    <p>
      <button type="button" onClick={json('file', 'json')}>
        Save as JSON
      </button>{' '}
      <button type="button" onClick={() => save(`${run.id}.md`, 'text/markdown', toMarkdown(run))}>
        Save as Markdown
      </button>{' '}
      {hasCassette && (
        <>
          <button type="button" onClick={json('cassette', 'cassette.json')}>
            Save as a cassette
          </button>{' '}
          <span class="muted">
            A cassette replays this run without a network and without a key.
          </span>
        </>
      )}
      <Problem>{problem}</Problem>
    </p>
  )
}

/** A fence that no run of backquotes in the text ends. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

function toParts(message: ChatMessage): string[] {
  const { role, content } = message
  const text = textOf(content)
  if (role === 'tool')
    return [`**Result of ${message.toolName ?? message.toolCallId}**`, fenced(text)]
  const calls = role === 'assistant' ? (message.toolCalls ?? []) : []
  return [
    `## ${role}`,
    text,
    ...calls.flatMap((call) => [`**Call of ${call.name}**`, fenced(pretty(call.arguments))]),
  ]
}

/** A run for people to read. */
export function toMarkdown(run: RunRecord): string {
  const { usage, latencyMs, cost, currency, costBound, settings, error } = run
  const system = settings?.options?.system
  return [
    `# ${run.title.replace(/\s+/g, ' ')}`,
    [
      `- Model: ${run.model}`,
      `- Started: ${new Date(run.at).toISOString()}`,
      `- State: ${stateOf(run)}`,
      `- Took: ${formatMs(latencyMs)}`,
      `- Tokens: ${formatCount(usage?.inputTokens)} in, ${formatCount(usage?.outputTokens)} out`,
      `- Cost: ${formatCost(cost, currency, costBound)}`,
    ].join('\n'),
    ...(system ? ['## system', system] : []),
    ...(run.transcript ?? run.messages).flatMap(toParts),
    ...(error ? ['## error', `${error.code}: ${error.message}`] : []),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/**
 * A request as a command of curl. Where a secret was taken out stands a variable, named after the
 * host.
 */
export function toCurl({ method, url, requestHeaders, requestBody }: Exchange): string {
  const owner = new URL(url).hostname.split('.').at(-2) ?? ''
  const name = `${/^[a-z][a-z\d]*$/i.test(owner) ? `${owner.toUpperCase()}_` : ''}API_KEY`
  const quote = (text: string): string =>
    `'${text.replaceAll("'", "'\\''").replace(/\[redacted\]|(?<=[?&][^=&]+=)redacted(?=&|$)/g, `'"$${name}"'`)}'`
  const headers = Object.entries(requestHeaders).map(([header, value]) =>
    quote(
      `${header}: ${header === 'authorization' && value === '[redacted]' ? 'Bearer ' : ''}${value}`,
    ),
  )
  return [
    `curl -X ${method} ${quote(url)}`,
    ...headers.map((header) => `-H ${header}`),
    ...(requestBody ? [`--data-raw ${quote(requestBody)}`] : []),
  ].join(' \\\n  ')
}
