// A message of the chat: its parts, what the user can do with it, and its marks.
import type { UseChatHelpers } from '@ai-sdk/react'
import type { PendingQuestion } from '@modelport/runtime'
import { getToolName, isToolUIPart, type UIMessage } from 'ai'
import { useState } from 'react'
import { QuestionForm } from './question.js'
import { type Unsettled, Waiting } from './waiting.js'

type Chat = UseChatHelpers<UIMessage>
type Question = PendingQuestion['question']

interface Metadata {
  readonly stopped?: boolean
  readonly restarts?: number
  readonly error?: string
}

export function Message({ message, chat }: { message: UIMessage; chat: Chat }) {
  const { role, parts } = message
  const { stopped, restarts, error } = (message.metadata ?? {}) as Metadata
  return (
    <article className={role}>
      {parts.map((part, index) => (
        <Part key={index} part={part} parts={parts} chat={chat} />
      ))}
      {stopped && <small>stopped</small>}
      {restarts !== undefined && restarts > 0 && <small>begun again: {restarts}</small>}
      {error !== undefined && <p role="alert">{error}</p>}
      {role === 'user' && <Edit message={message} chat={chat} />}
      {role === 'assistant' && chat.status === 'ready' && (
        <button onClick={() => void chat.regenerate({ messageId: message.id })}>Regenerate</button>
      )}
    </article>
  )
}

function Edit({ message, chat }: { message: UIMessage; chat: Chat }) {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen) return <button onClick={() => setOpen(true)}>Edit</button>
  const before = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const { text } = Object.fromEntries(new FormData(event.currentTarget)) as { text: string }
        setOpen(false)
        void chat.sendMessage({ text, messageId: message.id })
      }}
    >
      <input name="text" aria-label="Edited message" defaultValue={before} />
      <button>Save</button>
    </form>
  )
}

interface PartProps {
  readonly part: UIMessage['parts'][number]
  readonly parts: UIMessage['parts']
  readonly chat: Chat
}

function Part({ part, parts, chat }: PartProps) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type === 'reasoning') return <aside>{part.text}</aside>
  if (part.type === 'file') return <img src={part.url} alt="" />
  if (part.type === 'source-url') return <a href={part.url}>{part.title ?? part.url}</a>
  if (part.type === 'data-waiting')
    return <Waiting chatId={chat.id} request={part.data as Unsettled} />
  if (!isToolUIPart(part)) return null
  const tool = getToolName(part)
  return (
    <section aria-label={`${tool}: ${part.state}`}>
      <strong>{tool}</strong> <code>{JSON.stringify(part.input)}</code>
      {part.state === 'approval-requested' && (
        <Decision
          id={part.approval.id}
          tool={tool}
          question={questionOf(parts, part.approval.id)}
          chat={chat}
        />
      )}
      {part.state === 'output-available' && <output>{JSON.stringify(part.output)}</output>}
      {part.state === 'output-error' && <output>{part.errorText}</output>}
    </section>
  )
}

/** What a tool asks: the part `data-question` with the id of the approval. */
const questionOf = (parts: UIMessage['parts'], asked: string): Question | undefined =>
  parts.find(
    (part): part is { type: 'data-question'; id: string; data: Question } =>
      part.type === 'data-question' && 'id' in part && part.id === asked,
  )?.data

interface DecisionProps {
  readonly id: string
  readonly tool: string
  readonly question: Question | undefined
  readonly chat: Chat
}

/** Asks for an approval, or what the tool wants to know: its answer is the reason, as JSON. */
function Decision({ id, tool, question, chat }: DecisionProps) {
  const respond = (approved: boolean, content?: object): void =>
    void chat.addToolApprovalResponse({
      id,
      approved,
      ...(content && { reason: JSON.stringify(content) }),
    })
  if (question) return <QuestionForm tool={tool} question={question} respond={respond} />
  return [true, false].map((approved) => (
    <button key={String(approved)} onClick={() => respond(approved)}>
      {approved ? 'Allow' : 'Deny'}
    </button>
  ))
}
