import type { ChatMessage, Content } from '@modelport/core'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { pretty } from '../parts/format.js'
import { JsonView } from '../parts/json-view.js'
import { Markdown } from '../parts/markdown.js'
import { settings } from '../setup/run-settings.js'

const textOf = (content: Content): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')

/**
 * Images, sounds and files of a message that were sent as data; what has an address is shown as it,
 * since this page loads nothing.
 */
function Media({ content }: { readonly content: Content }): VNode | null {
  if (typeof content === 'string') return null
  return (
    <>
      {content.map((part, index) => {
        if (part.type === 'text') return null
        const { source } = part
        if (source.type !== 'base64')
          return <code key={index}>{source.type === 'url' ? source.url : source.id}</code>
        const data = `data:${source.mediaType};base64,${source.data}`
        if (part.type === 'image')
          return <img key={index} class="attached" alt="Attached image" src={data} />
        if (part.type === 'audio')
          return <audio key={index} controls aria-label="Attached sound" src={data} />
        return <code key={index}>{part.name ?? source.mediaType}</code>
      })}
    </>
  )
}

/**
 * One message of a conversation that is over; `onEdit` runs it again with another text, as a fork.
 */
export function MessageCard({
  message,
  onEdit,
  isOpen = false,
}: {
  readonly message: ChatMessage
  /** True shows the result of a tool without a click. */
  readonly isOpen?: boolean
  /** Resolves with false if the run was refused; then the text stays. */
  readonly onEdit?: (text: string) => Promise<boolean>
}): VNode | null {
  const [draft, setDraft] = useState<string>()
  if (message.role === 'tool') return <ToolResultCard message={message} isOpen={isOpen} />
  const text = textOf(message.content)
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  if (message.role === 'assistant' && !text && calls.length === 0) return null
  return (
    <article class={`message ${message.role}`} aria-label={message.role}>
      <header>
        <h2 class="speaker">
          {message.role === 'user' ? 'You' : message.role === 'assistant' ? 'Model' : 'System'}
        </h2>
        {onEdit && draft === undefined && (
          <button type="button" class="quiet" onClick={() => setDraft(text)}>
            Edit and run again
          </button>
        )}
      </header>
      {draft === undefined ? (
        message.role === 'user' ? (
          <p class="plain">{text}</p>
        ) : (
          <Markdown text={text} />
        )
      ) : (
        <form
          class="edit"
          onSubmit={(event) => {
            event.preventDefault()
            void onEdit?.(draft).then((isTaken) => isTaken && setDraft(undefined))
          }}
        >
          <label class="visually-hidden" for="edit-message">
            New text
          </label>
          <textarea
            id="edit-message"
            rows={3}
            value={draft}
            onInput={({ currentTarget }) => setDraft(currentTarget.value)}
          />
          <button type="submit" class="primary">
            Run again
          </button>
          <button type="button" onClick={() => setDraft(undefined)}>
            Cancel
          </button>
        </form>
      )}
      <Media content={message.content} />
      {calls.map(({ id, name, argumentsText }) => (
        <p key={id} class="muted">
          Called <code>{name}</code> with <code>{argumentsText}</code>
        </p>
      ))}
    </article>
  )
}

/** The system prompt of the next run, to be edited; `past` is that of the run above it. */
export function SystemPrompt({ past }: { readonly past: string | undefined }): VNode {
  const { system } = settings
  return (
    <div class="message system">
      <label class="speaker" for="system-prompt">
        System prompt
      </label>
      <textarea
        id="system-prompt"
        rows={1}
        placeholder="None. Write here what holds for the whole conversation."
        value={system.value}
        onInput={({ currentTarget }) => {
          system.value = currentTarget.value
        }}
      />
      {past !== undefined && past !== system.value && (
        <p class="note" role="status">
          From the next message on. The messages below had {past ? `“${past}”` : 'none'}.
        </p>
      )}
    </div>
  )
}

function ToolResultCard({
  message,
  isOpen,
}: {
  readonly isOpen: boolean
  readonly message: Extract<ChatMessage, { role: 'tool' }>
}): VNode {
  return (
    <details class="tool tool-done" open={isOpen}>
      <summary>
        Result of <code>{message.toolName ?? message.toolCallId}</code>
      </summary>
      <JsonView
        text={typeof message.content === 'string' ? message.content : pretty(message.content)}
        label={`the result of ${message.toolName ?? message.toolCallId}`}
      />
    </details>
  )
}
